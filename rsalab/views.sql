-- What several modules of rsalab ask of a results folder.

-- What is known of a round trip: its means, and the median of its time.
create view known as
  select
    study, snapshot, level,
    metric,  -- as in `means`, and `median_ms`
    mean
    from means where workload = 'roundtrip-full'
  union all
  select study, snapshot, level, 'median_ms', median_us / 1000 from medians;

-- The lines of Dirk's (2019) table under perf, and the events that they are made of.
create view perf_labels (
  place,  -- of the line
  label,  -- of the line
  above,  -- the event
  below,  -- the event by which it is divided, if the line is a rate
  scale   -- by which it is multiplied
) as values
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

-- What `perf` counted of a round trip, run by run.
create view perf_runs as
  select
    study, snapshot, level, repeat,
    replace(metric, '_tainted', '') as metric,
    iif(metric like '%\_tainted' escape '\', null, 1.0 * value / n) as value,  -- of one operation
    iif(metric like '%\_tainted' escape '\', 'tainted', unit) as reason  -- why there is no value
    from perf;

-- The same by the lines of Dirk's (2019) table: the median of the runs; a rate is the median of the
-- rates of single runs.
create view perf_table as
  with states as (
    select study, snapshot, level, metric, count(value) > 0 as measured,
           max(reason) filter (where value is null) as reason
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
  select
    cell.study, cell.snapshot, cell.level, place, label,
    iif(number >= 0, number, null) as number,  -- of one operation
    ifnull(here.measured, 0) and ifnull(base.measured, below is null) as measured,  -- every event of it
    iif(ifnull(here.measured, 0), base.reason, here.reason) as reason  -- why an event was not, where one is known
    from (select study, snapshot, level, min(rowid) as first
            from perf group by study, snapshot, level) as cell
    join perf_labels
    left join medians using (study, snapshot, level, label)
    left join states as here
      on (here.study, here.snapshot, here.level, here.metric)
       = (cell.study, cell.snapshot, cell.level, above)
    left join states as base
      on (base.study, base.snapshot, base.level, base.metric)
       = (cell.study, cell.snapshot, cell.level, below)
    order by cell.study, cell.level, first, place;

-- Dirk's (2019) table under perf, of five programs of 64 bits, beside the snapshots of width-64 that are
-- like them; of a round trip, of which his totals are a thousand.
create view dirk as
  select
    mapped.rowid as place,  -- of the program
    program,                -- as he calls it
    ours as snapshot, mapped.level,
    perf_labels.label, perf_labels.place as line,
    cell as printed,              -- as it stands there
    below is not null as is_rate,  -- whether the line is a rate, so that it is no total
    iif(below is null, cell / 1000.0, 1.0 * cell) as number
    from dirk_2019_map as mapped
    join printed on (source_table, head) = ('dirk_2019_perf', program)
    join dirk_2019_perf as his on his.rowid = printed.line
    join perf_labels on label = code_being_profiled
    order by place, line;

-- Lee's (2021) Table 1 beside our instructions of a round trip, by version and level; snapshots that he
-- has not come last.
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
  select
    coalesce(his.place, ours.place) as place,  -- of the version
    snapshot, level,
    coalesce(optimizations, idea) as optimisation,  -- in his words, or else in ours
    ticks,  -- what he calls cycles
    instructions  -- executed by a round trip of ours
    from his full join ours using (snapshot, level)
    order by 1, 3;

-- calls.csv with both ends of a call.
create view called as
  select
    study, snapshot, level,
    iif(metric = 'calls', '<total>', substr(metric, 12)) as caller,  -- `<total>` for all together
    symbol as callee,  -- the function that is called
    value as calls     -- in the round trip of the first message
    from calls;

-- Calls of each function in the round trip of the first message, by gprof.  A round trip calls mod_exp
-- twice.  What the compiler has inlined is not called; `entered` has the mean of all messages.
create view trip_calls as
  select study, snapshot, level, callee,
         2.0 * calls / powers as calls  -- of the first message
    from (select *, sum(calls) filter (where callee = 'mod_exp')
                      over (partition by study, snapshot, level) as powers
            from called where caller = '<total>')
    where powers;

-- Instructions of all round trips by function, line and class: of the snapshot's own code, and by symbol
-- of the run-time that it calls.
create view spent as
  with parts as (
    select study, snapshot, level, function, file, line, class,
           sum(instructions) as instructions, max(n) as n
      from counted_lines where workload = 'roundtrip-full'
      group by study, snapshot, level, function, file, line, class
    union all
    select study, snapshot, level, symbol, null, null, substr(metric, 7), value, n
      from counted
      where workload = 'roundtrip-full' and metric like 'class\_%' escape '\'
        and symbol not in ('total', 'snapshot')
        and (study, snapshot, level, symbol) not in (
          select study, snapshot, level, symbol from asm)
        and (study, snapshot, level) in (select study, snapshot, level from lines))
  select
    study, snapshot, level, function,
    file,          -- of the source, NULL in the run-time
    line,          -- of that file
    class,
    instructions,  -- executed by all n operations
    n,
    kind  -- of the class: `loads`, `branches`, `multiplies`, ...
    from parts join kinds using (class);

-- Calls of each function in a round trip, the mean of all messages: the executions of its first
-- instruction at -O0, where every call of the source is one.
create view entered as
  select
    study, snapshot, function,
    1.0 * instructions / n as calls,  -- of a round trip, the mean of all
    min(offset) as entry              -- of the function, in bytes, hexadecimal
    from counted_lines
    where (level, workload) = ('O0', 'roundtrip-full')
    group by study, snapshot, function;

-- What a claim names beside functions and kinds.
create view named as
  select
    study, snapshot, level,
    workload as subject,  -- a workload, or `calls`
    metric as item,       -- a metric of the workload, or the function that is called
    mean as value         -- of one operation
    from means where workload <> 'static'
  union all
  select study, snapshot, cells.level, 'calls', function, calls
    from entered join cells using (study, snapshot)
    where cells.workload = 'roundtrip-full';

-- Every number of a cell that two folders can be compared by; sizes and times are of any workload.
create view comparable as
  select study, snapshot, level, workload, metric,
         mean as value  -- of one operation
    from means
  union all
  select study, snapshot, level, 'static', 'time', median_us from medians;

-- Instructions of the same calls by each counter, where all three have counted.
create view agreements as
  select
    study, snapshot, level, max(n) as n,
    max(value) filter (where symbol = 'plugin') as plugin,    -- of qemu-arm
    max(value) filter (where symbol = 'unicorn') as unicorn,  -- another emulator
    max(value) filter (where symbol = 'kernel') as kernel     -- the hardware's counter, or an emulated one
    from agreement
    group by study, snapshot, level
    having count(*) = 3;

-- Instructions an operation by class, with `run-time` for what the compiler's run-time executes, so that
-- the classes of a cell add up to its instructions.
create view classes as
  with own as (
    select study, snapshot, level, workload, substr(metric, 7) as class, value, n
      from counted where symbol = 'snapshot' and metric like 'class\_%' escape '\'),
  run_time as (
    select study, snapshot, level, workload, 1.0 * (every.value - sum(own.value)) / every.n as mean
      from own join counted as every using (study, snapshot, level, workload)
      where (every.symbol, every.metric) = ('total', 'instructions')
      group by study, snapshot, level, workload),
  every as (
    select study, snapshot, level, workload, class, 1.0 * value / n as mean from own
    union all
    select study, snapshot, level, workload, 'run-time', mean from run_time)
  select
    every.study, snapshot, place, level, workload, class,
    mean,                            -- instructions of one operation
    kind,  -- of the class: `loads`, `branches`, `multiplies`, ...
    usual,  -- the instruction that is usual of the class
    kinds.rowid as class_place  -- of the class among all
    from every
    join snapshots using (study, snapshot)
    join kinds using (class);

-- What each step gained at each level, and what was expected of it.
create view scores as
  select
    study, place, snapshot, idea, parent, level,
    versus_parent as gain,  -- parent / this, in instructions
    verdict,
    low,   -- end of the range that was predicted, NULL where nothing was
    high,  -- the other end
    case when disclosed then 'disclosed'       -- known when the range was written
         when round(versus_parent, 2) > high then 'too low'
         when round(versus_parent, 2) < low then 'too high'
         when high > 10 * low then 'open'      -- kept, and it had one end only
         when low is not null then 'right'
    end as outcome,  -- what became of the prediction, by the gain as it is shown
    coalesce(kind, '') as kind,   -- of the prediction; '' without one
    -- Why it missed; '' where the range holds the gain, as it may with another compiler.
    case when round(versus_parent, 2) between low and high then ''
         else coalesce(cause, '')
    end as cause
    from ladder left join predictions using (study, snapshot, level)
    where workload = 'roundtrip-full' and versus_parent is not null
    order by study, place, level;

-- Where an operation's instructions are executed.
create view shares as
  select
    part.study, place, part.snapshot, level, workload, part.symbol,
    100.0 * part.value / every.value as share  -- of the function, in per cent
    from counted as part
    join (select * from counted where symbol = 'total') as every
      using (study, snapshot, level, workload, metric)
    join snapshots using (study, snapshot)
    where metric = 'instructions' and part.symbol not in ('total', 'snapshot');

-- Long numbers (studies/width-1024), a row for each metric of an operation.
create view long_numbers as
  select
    snapshot as implementation,  -- the program
    level,
    word(workload, 1) as operation,             -- `product`, `square`, `power`, `private`
    cast(word(workload, 2) as integer) as bits,  -- of the numbers
    word(workload, 3) as operands,              -- `random`, or a pattern of the source
    word(workload, 4) as way,  -- `levels-N` of Karatsuba, METHOD-WINDOW of a power, standard- or crt-HOW
    metric, value, unit
    from operations;

-- The instructions of an operation.
create view long as
  select
    implementation, level, operation, bits, operands, way,
    value as instructions  -- executed by an operation
    from long_numbers where metric = 'instructions';

-- From which size on Karatsuba's method pays; no row for a program and operation where it never does.
create view crossovers as
  with sizes as (
    select implementation, level, operation, bits,
           coalesce(verdict(min(instructions) filter (where way <> 'levels-0'),
                            max(instructions) filter (where way = 'levels-0')), '') as verdict
      from long
      where operation in ('product', 'square') and operands = 'random'
      group by implementation, level, operation, bits),
  last_without as (
    select implementation, level, operation,
           max(iif(verdict = 'helps', 0, bits)) as last_bits
      from sizes group by implementation, level, operation)
  select implementation, level, operation,
         min(bits) as bits  -- from which on some level of it helps, at every size that was counted
    from sizes join last_without using (implementation, level, operation)
    where bits > last_bits
    group by implementation, level, operation;

-- What a program needs at each size, in instructions.
create view needs as
  select
    implementation, level, bits,
    max(instructions) filter (where (operation, way) = ('product', 'levels-0')) as product,  -- Montgomery's
    max(instructions) filter (where (operation, way) = ('square', 'levels-0')) as square,    -- Montgomery's
    min(instructions) filter (where way like 'sliding-%') as power,         -- with the best window
    min(instructions) filter (where way like 'fixed-%') as constant_power,  -- in constant time
    max(instructions) filter (where way = 'crt-square') as private,  -- RSA by the Chinese remainder theorem
    max(instructions) filter (where way = 'crt-constant-time') as constant_private  -- in constant time
    from long where operands = 'random'
    group by implementation, level, bits;

-- A power by its window, and for sliding windows what a model expects: a table of 2^(w-1) odd powers, a
-- square for each bit, and a product for every w + 1 bits (Koc 1995).
create view windows as
  with powers as (
    select implementation, level, bits, substr(way, 1, instr(way, '-') - 1) as method,
           cast(substr(way, instr(way, '-') + 1) as integer) as window, instructions
      from long where operation = 'power')
  select
    implementation, level, bits,
    method,  -- `binary`, `fixed`, `sliding`; `modelled` is a sliding one by the model
    window,  -- in bits
    instructions  -- executed by a power
    from powers
  union all
  select implementation, level, bits, 'modelled', window,
         bits * square + ((1 << (window - 1)) - 1 + bits / (window + 1.0)) * product + square
    from powers join needs using (implementation, level, bits)
    where method = 'sliding';

-- The private operation of 1024 bits by the way of multiplying: of each program in instructions, and of
-- the source (its Table 4) in cycles of a C54x.
create view privates as
  with ways (place, way) as (values
    (1, 'product'), (2, 'square'), (3, 'karatsuba'),  -- as the lines of the source's table
    (4, 'constant-time')),                            -- not the source's
  operations as (
    select implementation, level, substr(way, 1, instr(way, '-') - 1) as kind,
           substr(way, instr(way, '-') + 1) as way, instructions
      from long where (operation, bits) = ('private', 1024))
  select
    implementation,  -- `assembly` or `plain`; `C54x` is the source
    level,           -- NULL for the source
    place,           -- of the way
    way,             -- of multiplying
    max(instructions) filter (where kind = 'standard') as standard,  -- without the Chinese remainder theorem
    max(instructions) filter (where kind = 'crt') as crt             -- with it
    from operations join ways using (way)
    group by implementation, level, place
  union all
  select 'C54x', null, place, way, standard + 0, crt + 0
    from markovic_table_4 as his join ways on place = his.rowid;

-- The source's Tables 1 to 3, in cycles of a C54x.
create view markovic as
  select
    1 as place,              -- of the table
    '0x55..55' as operands,  -- a pattern
    a,                 -- bits of the first operand
    b,                 -- bits of the second operand
    product_standard,  -- ordinary multiplication
    product_1,         -- with one level of Karatsuba's method
    product_2,         -- with two
    product_3,         -- with three
    product_4,         -- with four
    square_standard,   -- the squaring procedure
    square_1,          -- with one level of Karatsuba's method
    square_2,          -- with two
    square_3,          -- with three
    square_4           -- with four
    from markovic_table_1
  union all
  select 2, '0xff..ff', * from markovic_table_2
  union all
  select 3, '0x80..01', * from markovic_table_3;

-- RSA operations of OpenSSL, a row for each metric of an operation.
create view openssl_operations as
  select
    snapshot as implementation,                 -- the build
    word(workload, 1) as operation,             -- `sign`, `verify`
    cast(word(workload, 2) as integer) as bits,  -- of the key
    metric, value, unit
    from openssl;

-- RSA operations of OpenSSL (studies/openssl), of the sizes of which every operation was counted with
-- every build; lanes may be missing.
create view rsa as
  with every as (
    select *, 'here' as whose from openssl
    union all
    select *, 'record' from openssl_record),
  operations as (
    select whose, snapshot as implementation, word(workload, 1) as operation,
           cast(word(workload, 2) as integer) as bits,
           max(value) filter (where metric = 'instructions') as instructions,
           sum(value * cycles) as cycles,
           count(*) filter (where snapshot <> 'lanes') over (partition by whose, word(workload, 2))
             as rows_of_size
      from every join arm1176 using (metric)
      group by whose, snapshot, workload)
  select
    whose,  -- counts they are: `here` in this folder, `record` in the committed reference
    implementation,
    operation,     -- `sign`, `verify`
    bits,
    instructions,  -- executed by an operation
    cycles  -- of an ARM1176, by model
    from operations where rows_of_size = 8;

-- The builds of OpenSSL.
create view builds (
  place,           -- of the build
  implementation,
  label,           -- in a picture
  code,            -- `assembly` or `compiled C`
  published        -- the name that the source has for it
) as values
    (1, 'ours', 'ours', 'assembly', 'new assembly'),
    (2, 'assembly', 'assembly', 'assembly', 'OpenSSL assembly'),
    (3, 'neon', 'NEON', 'assembly', null),
    (4, 'c', 'C', 'compiled C', 'OpenSSL C');

-- What the source published for them, on a Pi Zero W at 1 GHz: elapsed time over operations.  The
-- source's summary has the same numbers, but not 15360 bits.
create view published_rsa as
  select
    place, builds.implementation, code, published,
    iif(operation = 'private', 'sign', 'verify') as operation,
    cast(bits as integer) as bits,
    1000.0 * elapsed_s / number as ms  -- of one operation
    from openssl_arm_runs as runs join builds on published = runs.implementation;

-- Cycles of an ARM1176 by model of every cell, of code that this core runs only where the programs
-- are for ARMv6.  Mispredictions may be missing.
create table modelled as
  select
    'arm1176' as model,  -- the core
    study, place, snapshot, level, workload,
    sum(mean * cycles) as cycles,  -- of one operation, by model
    max(n) as n,
    code  -- the kind of code, of which the model's error is known
    from means join arm1176 using (metric) join snapshots using (study, snapshot)
    where workload in ('mont_mul', 'roundtrip-full')
    group by study, snapshot, level, workload
    having count(*) filter (where metric <> 'simulated_mispredictions_arm1176') = 3;

-- Every RSA operation that the OpenSSL source timed on a Pi Zero W at 1 GHz with OpenSSL's own code, and
-- that is counted for the record, beside the model.
create view comparisons as
  select
    'arm1176' as model,
    code,
    published as program,     -- as the source calls it
    operation, bits,
    ms as measured,           -- millions of cycles, by the source
    cycles / 1e6 as modelled  -- millions of cycles, by the model
    from rsa join published_rsa using (implementation, operation, bits)
    where whose = 'record' and implementation <> 'ours';

-- How wrong the model is, by these comparisons.
create view errors as
  select
    model, code,
    min(modelled / measured) - 1 as low,  -- the lowest error, as a fraction
    max(modelled / measured) - 1 as high  -- the highest
    from comparisons
    group by model, code;

-- A round trip on an ARM1176, where its branches were simulated.
create view simulated as
  select
    study, snapshot, level,
    max(mean) filter (where metric = 'instructions') as instructions,
    max(mean) filter (where metric = 'simulated_mispredictions_arm1176') as wrong,  -- predictions
    cycles,  -- by model
    code     -- the kind of code, of which the model's error is known
    from means join modelled using (study, snapshot, level, workload)
    where workload = 'roundtrip-full'
    group by study, snapshot, level
    having wrong is not null;

-- Cycles of an operation on every core of studies/hardware/cores, whatever results are shown: all programs
-- are gcc's (results/core-*/machine.json), also where the results are of clang.
create view cores as
  select
    substr(platform, 6) as core,  -- of records/cores.csv
    study, snapshot, level,
    replace(workload, '-small', '') as operation,  -- `roundtrip`, `mont_mul`, `mod_exp`
    max(1.0 * value / n) filter (where metric = 'instructions') as instructions,  -- that the core executes
    max(1.0 * value / n) filter (where metric = 'cycles') as cycles,  -- in the layout that takes least
    max(1.0 * value / n) filter (where metric = 'cycles_most') as most,  -- in the one that takes most
    max(kind) as kind,  -- `exact`, or `model` where the cycles are worked out
    n
    from every_core where symbol = 'total' and study not in ('units', 'published')
    group by core, study, snapshot, level, workload;

-- Instructions of the ladder by every compiler that `make compilers` has measured, whatever results are shown.
create view compilers as
  with means as (
    select replace(platform, 'qemu-', '') as compiler, study, snapshot, level, workload, n,
           1.0 * value / n as instructions
      from every_compiler
      where (metric, symbol) = ('instructions', 'total'))
  select
    here.compiler,  -- its name and version: `gcc12`
    here.study, place, here.snapshot, here.level, here.workload,
    here.instructions,  -- executed by an operation
    parent,
    above.instructions / here.instructions as versus_parent,  -- how many times fewer than its parent
    here.n
    from means as here
    join snapshots using (study, snapshot)
    left join means as above
      on (above.compiler, above.study, above.snapshot, above.level, above.workload)
       = (here.compiler, parent_study, parent, here.level, here.workload)
    order by here.compiler, place, here.level;
