-- What several modules of rsalab ask of a results folder.

-- Instructions of a round trip by the name that a table of a source has for a program: a rung `v6`,
-- `alone/NAME` of a study, a function `v6:mmm_1`; and `width-64/v2 -O0`, the same at any level.
create table programs as
  with measured as (
    select replace(study || '/', 'iterations/', '') || snapshot
             || replace(':' || symbol, ':total', '') as program,
           level, 1.0 * value / n as instructions
      from counted where (workload, metric) = ('roundtrip-full', 'instructions'))
  select * from measured
  union all
  select program || ' -' || measured.level, every.level, instructions
    from measured join (select distinct level from measured) as every;

-- How many times fewer instructions than one program another one executes.
create view gains as
  select slow.program as slow, fast.program as fast, level,
         slow.instructions / fast.instructions as gain
    from programs as slow join programs as fast using (level);

-- What is known of a round trip: its means, and the median of its time in ms.
create view known as
  select study, snapshot, level, metric, mean from means where workload = 'roundtrip-full'
  union all select study, snapshot, level, 'median_ms', median_us / 1000 from medians;

-- What `perf` counted of a round trip, by the labels of Dirk's (2019) table: the median of the runs,
-- or why there is none.  A rate is the median of the rates of single runs.
create view perf_labels (place, label, above, below, scale) as values
    (1, 'runtime (ms)', 'task-clock', null, 1e-6),
    (2, 'cycles', 'cycles', null, 1),
    (3, 'instructions', 'instructions', null, 1),
    (4, 'instructions / cycle', 'instructions', 'cycles', 1),
    (5, 'branches', 'branches', null, 1),
    (6, 'branch misses', 'branch-misses', null, 1),
    (7, 'branch miss %', 'branch-misses', 'branches', 100),
    (8, 'cache references', 'cache-references', null, 1),
    (9, 'cache misses', 'cache-misses', null, 1),
    (10, 'cache miss %', 'cache-misses', 'cache-references', 100);
create view perf_runs as
  select study, snapshot, level, repeat, replace(metric, '_tainted', '') as metric,
         iif(metric like '%_tainted', null, 1.0 * value / n) as value,
         iif(metric like '%_tainted', 'tainted; make doctor', unit) as why
    from perf;
create view perf_table as
  with known as (
    select study, snapshot, level, metric, count(value) > 0 as known,
           max(why) filter (where value is null) as why
      from perf_runs group by study, snapshot, level, metric),
  medians as (
    select here.study, here.snapshot, here.level, label,
           median(scale * here.value / ifnull(base.value, 1)) as number
      from perf_labels
      join perf_runs as here on here.metric = above
      left join perf_runs as base
        on (base.study, base.snapshot, base.level, base.repeat, base.metric)
         = (here.study, here.snapshot, here.level, here.repeat, below)
      where here.value is not null and (below is null or base.value > 0)
      group by here.study, here.snapshot, here.level, label)
  select cell.study, cell.snapshot, cell.level, place, label,
         iif(number >= 0, number, null) as number,
         case when not ifnull(here.known, 0) then ifnull(here.why, 'not measured')
              when below is not null and not ifnull(base.known, 0)
                then ifnull(base.why, 'not measured')
              when not ifnull(number >= 0, 0) then 'below the noise' end as why
    from (select study, snapshot, level, min(rowid) as first from perf
            group by study, snapshot, level) as cell
    join perf_labels
    left join medians using (study, snapshot, level, label)
    left join known as here on (here.study, here.snapshot, here.level, here.metric)
                             = (cell.study, cell.snapshot, cell.level, above)
    left join known as base on (base.study, base.snapshot, base.level, base.metric)
                             = (cell.study, cell.snapshot, cell.level, below)
    order by cell.study, cell.level, first, place;

-- Dirk's (2019) table under perf, of five programs of 64 bits, beside the snapshots of width-64 that are
-- like them; of a round trip, of which his totals are a thousand.
create view dirk as
  select
    mapped.rowid as place, program,
    ours as snapshot, mapped.level,  -- that are like the program
    perf_labels.label, perf_labels.place as line,
    cell as printed,            -- as it stands there
    below is not null as is_rate,
    iif(below is null, cell / 1000.0, 1.0 * cell) as number
    from dirk_2019_map as mapped
    join printed on (source_table, head) = ('dirk_2019_perf', program)
    join dirk_2019_perf as his on his.rowid = printed.line
    join perf_labels on label = code_being_profiled
    order by place, line;

-- Lee's (2021) Table 1, what he calls cycles, beside our instructions of a round trip, by version
-- and level; snapshots that he has not come last.
create view lee as
  with his as (
    select line as place, version as snapshot, optimizations, head as level, cell as ticks
      from lee_2021_table_1 as versions
      join printed on (source_table, line) = ('lee_2021_table_1', versions.rowid)
      where head not in ('version', 'optimizations')),
  ours as (
    select 100 + place as place, snapshot, level, idea, instructions
      from ladder
      where (study, workload) = ('width-96', 'roundtrip-full')
        and level in (select level from his))
  select coalesce(his.place, ours.place) as place, snapshot, level,
         coalesce(optimizations, idea) as optimisation, ticks, instructions
    from his full join ours using (snapshot, level)
    order by 1, 3;

-- Instructions of a round trip by line of source.
create view trip_lines as
  select study, snapshot, level, file, line, 1.0 * sum(instructions) / max(n) as instructions
    from counted_lines where workload = 'roundtrip-full' group by study, snapshot, level, file, line;

-- Calls of each function in a round trip, which calls mod_exp twice.
create view trip_calls as
  select study, snapshot, level, callee, 2.0 * calls / powers as calls
    from (select *, sum(calls) filter (where callee = 'mod_exp')
                    over (partition by study, snapshot, level) as powers
            from calls where caller = '<total>')
    where powers;

-- Instructions of round trips by function, place (file:line), class of instruction and its kind: by
-- line of the snapshot's own code, and by symbol of the run-time that it calls.
create view spent as
  with parts as (
    select study, snapshot, level, function, file || ':' || line as place, class,
           sum(instructions) as instructions, max(n) as n
      from counted_lines where workload = 'roundtrip-full'
      group by study, snapshot, level, function, place, class
    union all
    select study, snapshot, level, symbol, '', substr(metric, 7), value, n
      from counted where workload = 'roundtrip-full' and substr(metric, 1, 6) = 'class_'
        and symbol not in ('total', 'snapshot')
        and not exists (select 1 from asm
          where (asm.study, asm.snapshot, asm.level) = (counted.study, counted.snapshot, counted.level)
            and asm.symbol = counted.symbol)
        and exists (select 1 from lines where (lines.study, lines.snapshot, lines.level)
                                            = (counted.study, counted.snapshot, counted.level)))
  select parts.*, coalesce(kind, 'other') as kind from parts left join kinds using (class);

-- Calls of each function in a round trip: the executions of its first instruction at -O0, where
-- every call of the source is one.
create view entered as
  select study, snapshot, function, 1.0 * instructions / n as calls, min(offset) as entry
    from counted_lines where (level, workload) = ('O0', 'roundtrip-full')
    group by study, snapshot, function;

-- What a claim names beside functions and kinds: the mean of a metric of a case, an operation, and
-- how often a round trip calls a function of the source.
create view named as
  select study, snapshot, level, workload || ':' || metric as name, mean as value
    from means where workload <> 'static'
  union all
  select study, snapshot, cells.level, 'calls:' || function, calls
    from entered join cells using (study, snapshot) where cells.workload = 'roundtrip-full';

-- Every number of a cell that two folders can be compared by; sizes and times are of any case.
create view comparable as
  select study, snapshot, level, workload, metric, mean as value from means
  union all select study, snapshot, level, 'static', 'time', median_us from medians;

-- Instructions of the same calls by each counter, where all three have counted.
create view agreements as
  select study, snapshot, level, max(n) as n,
         max(value) filter (where symbol = 'plugin') as plugin,
         max(value) filter (where symbol = 'unicorn') as unicorn,
         max(value) filter (where symbol = 'kernel') as kernel
    from agreement group by study, snapshot, level having count(*) = 3;

-- Instructions an operation by class of opcode (harness/plugin/a32.h) with the kind that kinds.csv
-- has for it; `run-time` is what the compiler's run-time executes, so that the classes of a cell add
-- up to its instructions.
create view classes as
  with own as (select study, snapshot, level, workload, substr(metric, 7) as class, value, n
                 from counted where symbol = 'snapshot' and substr(metric, 1, 6) = 'class_'),
       every as (
    select study, snapshot, level, workload, class, 1.0 * value / n as mean from own
    union all
    select study, snapshot, level, workload, 'run-time', 1.0 * (every.value - sum(own.value)) / every.n
      from own join counted as every using (study, snapshot, level, workload)
      where (every.symbol, every.metric) = ('total', 'instructions')
      group by study, snapshot, level, workload)
  select every.study, snapshot, place, level, workload, class, mean,
         coalesce(kind, 'other') as kind, coalesce(usual, class) as usual,
         coalesce(kinds.rowid, 1000) as class_place
    from every join snapshots using (study, snapshot)
    left join kinds using (class);

-- The same by kind, a column for each.
create view by_kind as
  select study, workload, place, snapshot, level,
         sum(mean * (kind = 'loads')) as loads,
         sum(mean * (kind = 'stores')) as stores,
         sum(mean * (kind = 'branches')) as branches,
         sum(mean * (kind = 'adds')) as adds,
         sum(mean * (kind = 'logic')) as logic,
         sum(mean * (kind = 'compares')) as compares,
         sum(mean * (kind = 'moves')) as moves,
         sum(mean * (kind = 'VFP moves')) as "VFP moves",
         sum(mean * (kind = 'NEON')) as NEON,
         sum(mean * (kind = 'multiplies')) as multiplies,
         sum(mean * (kind = 'run-time')) as "run-time",
         sum(mean * (kind = 'other')) as other,
         sum(mean) as total
    from classes group by study, workload, place, snapshot, level;

-- What each step gained, parent / this, and what was expected: the range, and what became of it by
-- the gain as it is shown.  A range whose result was known when it was written is `disclosed`; one
-- that says no more than that a step helps or hurts is `open`.  Both texts are NULL where nothing was
-- expected.
create view scores as
  select study, place, snapshot, idea, parent, level, versus_parent as gain, verdict,
         factor(low) || ' to ' || factor(high) as said,
         case when disclosed then 'disclosed' when high > 10 * low then 'open'
              when round(versus_parent, 2) > high then 'too low'
              when round(versus_parent, 2) < low then 'too high'
              when low is not null then 'right' end as word
    from ladder left join predictions using (study, snapshot, level)
    where workload = 'roundtrip-full' and versus_parent is not null
    order by study, place, level;

-- Share of an operation's instructions in each function, in per cent.
create view shares as
  select part.study, place, part.snapshot, level, workload, part.symbol,
         100.0 * part.value / every.value as share
    from counted as part
    join (select * from counted where symbol = 'total') as every
      using (study, snapshot, level, workload, metric)
    join snapshots using (study, snapshot)
    where metric = 'instructions' and part.symbol not in ('total', 'snapshot');

-- Long numbers (studies/width-1024): instructions of an operation.  A `way` is levels-N of
-- Karatsuba's method, METHOD-WINDOW of a power, or standard-HOW and crt-HOW of a private operation.
create view long as
  select implementation, level, operation, bits, operands, way, value as instructions
    from operations where metric = 'instructions';

-- The smallest size in bits from which on, at every size that was counted, some level of
-- Karatsuba's method helps by the verdict; no row for a program and operation without one.
create view crossovers as
  with sizes as (
    select implementation, level, operation, bits,
           coalesce(verdict(min(instructions) filter (where way <> 'levels-0'),
                            max(instructions) filter (where way = 'levels-0')), '') as verdict
      from long where operation in ('product', 'square') and operands = 'random'
      group by implementation, level, operation, bits)
  select implementation, level, operation, min(bits) as bits
    from sizes as here
    where not exists (select 1 from sizes as other
      where (other.implementation, other.level, other.operation)
          = (here.implementation, here.level, here.operation)
        and other.bits >= here.bits and other.verdict <> 'helps')
    group by implementation, level, operation;

-- By size what a program needs: a Montgomery product and square; the best power, and the
-- private operation by the Chinese remainder theorem, each also in constant time.
create view needs as
  select implementation, level, bits,
         max(instructions) filter (where (operation, way) = ('product', 'levels-0')) as product,
         max(instructions) filter (where (operation, way) = ('square', 'levels-0')) as square,
         min(instructions) filter (where way like 'sliding-%') as power,
         min(instructions) filter (where way like 'fixed-%') as constant_power,
         max(instructions) filter (where way = 'crt-square') as private,
         max(instructions) filter (where way = 'crt-constant-time') as constant_private
    from long where operands = 'random' group by implementation, level, bits;

-- A power by its window: instructions by method and window in bits, and of sliding windows what a
-- model expects: a table of 2^(w-1) odd powers, a square for each bit, and a product for every
-- w + 1 bits (Koc 1995).
create view windows as
  with counted as (
    select implementation, level, bits, substr(way, 1, instr(way, '-') - 1) as method,
           cast(substr(way, instr(way, '-') + 1) as integer) as window, instructions
      from long where operation = 'power')
  select * from counted
  union all
  select implementation, level, bits, 'sliding, model', window,
         bits * square + ((1 << (window - 1)) - 1 + bits / (window + 1.0)) * product + square
    from counted join needs using (implementation, level, bits) where method = 'sliding';

-- The private operation of 1024 bits, plain and by the Chinese remainder theorem, by the way of
-- multiplying; of each program in instructions, and of the source (its Table 4) in cycles of a C54x.
create view privates as
  with ways (place, way, name) as (values
    (1, 'product', 'Ordinary multiplication'),
    (2, 'square', 'Squaring procedure'),
    (3, 'karatsuba', 'Squaring with one level of Karatsuba''s method'),
    (4, 'constant-time', 'Squaring procedure, in constant time')),  -- not the source's
  counted as (
    select implementation || ' -' || level as program, place, ways.way, name,
           max(instructions) filter (where long.way = 'standard-' || ways.way) as standard,
           max(instructions) filter (where long.way = 'crt-' || ways.way) as crt
      from long join ways where (operation, bits) = ('private', 1024)
      group by program, place)
  select * from counted
  union all
  select 'C54x', place, way, name, standard + 0, crt + 0
    from markovic_table_4
    join ways on name = multiplication or (way = 'karatsuba' and multiplication like '%Karatsuba%');

-- The source's Tables 1 to 3, each of one kind of operands, in cycles of a C54x.
create view markovic as
  select 1 as place, '0x55..55' as operands, * from markovic_table_1
  union all select 2, '0xff..ff', * from markovic_table_2
  union all select 3, '0x80..01', * from markovic_table_3;

-- RSA operations of OpenSSL (studies/openssl), of the sizes of which every operation was counted
-- with every build: instructions, and cycles of an ARM1176 by model; in this folder, and as they
-- were counted for the record.
create view rsa as
  select * from (
    select whose, implementation, operation, bits,
           max(value) filter (where metric = 'instructions') as instructions,
           sum(value * cycles) as cycles, count(*) over (partition by whose, bits) as counted
      from (select *, 'here' as whose from openssl
            union all select *, 'record' from openssl_record)
      join arm1176 using (metric) group by whose, implementation, operation, bits)
    where counted = 8;

-- The implementations, and the milliseconds that the source published for three of them, on a Pi
-- Zero W at 1 GHz: elapsed time over operations.  The source's summary has the same numbers, but not
-- 15360 bits.
create view builds (place, implementation, label, title, code, published) as values
    (1, 'ours', 'ours', 'bn_mul_mont.S', 'assembly', 'new assembly'),
    (2, 'assembly', 'assembly', 'OpenSSL''s own assembly', 'assembly', 'OpenSSL assembly'),
    (3, 'neon', 'NEON', 'OpenSSL''s own assembly, with NEON', 'assembly', null),
    (4, 'c', 'C', 'OpenSSL''s own C', 'compiled C', 'OpenSSL C');
create view published_rsa as
  select place, builds.implementation, title, code, published,
         iif(operation = 'private', 'sign', 'verify') as operation,
         cast(bits as integer) as bits, 1000.0 * elapsed_s / number as ms
    from openssl_arm_runs as runs join builds on published = runs.implementation;

-- Cycles by model of every cell of the ladder, and the kind of its code.  OpenSSL's assembly speaks
-- for all assembly on an ARM1176; what was measured on a Pi 3 is bit-serial and multiplies no words,
-- so code that does is a kind of its own there.
create view modelled as
  select substr(metric, 14) as model, means.study, place, snapshot, level, workload, mean as cycles, n,
         iif(metric = 'model_cycles_cortex-a72' and exists (
               select 1 from means as long
                 where (long.study, long.snapshot, long.level, long.workload)
                     = (means.study, means.snapshot, means.level, means.workload)
                   and long.metric in ('multiplies_long', 'multiplies_umaal') and long.mean > 0),
             'word-serial code', code) as code
    from means join snapshots using (study, snapshot)
    where metric like 'model\_cycles\_%' escape '\' and means.study = 'iterations'
      and workload in ('mont_mul', 'roundtrip-full');

-- Comparisons of the models with what the sources measured.  Those in the unit x are of factors.
-- ARM1176: every RSA operation that the OpenSSL source timed with OpenSSL's own code and that is
-- counted for the record.  Cortex-A72: cycles an instruction of Dirk's programs in C, by the rungs
-- that are like them; cycles of a round trip at -O0, on a Pi 3 at 1.4 GHz, and the factor against
-- row 0, of the rows of Bishop and Austin that data/published/ maps to a rung.
create view comparisons as
  with trips as (
    select snapshot, level, code, cycles, mean as instructions
      from modelled join means using (study, snapshot, level, workload)
      where (model, metric, workload) = ('cortex-a72', 'instructions', 'roundtrip-full')),
  perfed as (
    select program, snapshot, level, top.number / base.number as each
      from dirk as top join dirk as base using (program, snapshot, level)
      where (top.label, base.label) = ('cycles', 'instructions') and program <> 'optimized asm'),
  timed as (
    select iteration, 1.4e3 * seconds as cycles, ours as snapshot, counterpart
      from bishop_austin_2021_table_1 join bishop_austin_2021_map using (iteration)),
  bishop as (
    select iteration, trips.*, timed.cycles as measured, trips.cycles / 1e6 as modelled
      from timed join trips using (snapshot) where (level, counterpart) = ('O0', 'rung'))
  select 'arm1176' as model, code, published || ', ' || operation as what, bits,
         'Mcycles' as unit, ms as measured, cycles / 1e6 as modelled
    from rsa join published_rsa using (implementation, operation, bits)
    where whose = 'record' and implementation <> 'ours'
  union all
  select 'cortex-a72', code, format('%s -%s and Dirk 2019, %s', snapshot, level, program),
         null, 'per instr.', each, cycles / instructions
    from trips join perfed using (snapshot, level)
  union all
  select 'cortex-a72', code,
         format('%s -%s and Bishop & Austin 2021, row %s', snapshot, level, iteration),
         null, 'Mcycles', measured, modelled
    from bishop
  union all
  select 'cortex-a72', here.code,
         format('%s -%s and Bishop & Austin 2021, row %s', here.snapshot, here.level, here.iteration),
         null, 'x', above.measured / here.measured, above.modelled / here.modelled
    from bishop as here join bishop as above on above.iteration = '0' and here.iteration <> '0';

-- Errors, modelled / measured - 1: the lowest and the highest of each kind of code.
create view errors as
  select model, code, min(modelled / measured) - 1 as low, max(modelled / measured) - 1 as high
    from comparisons where unit <> 'x' group by model, code;

-- Mispredictions as simulated for an ARM1176, and its cycles by model, of a round trip.
create view simulated as
  select study, snapshot, level,
         max(mean) filter (where metric = 'instructions') as instructions,
         max(mean) filter (where metric = 'simulated_mispredictions_arm1176') as wrong,
         max(mean) filter (where metric = 'model_cycles_arm1176') as cycles
    from means where workload = 'roundtrip-full' group by study, snapshot, level
    having wrong is not null and cycles is not null;
