-- What everybody asks of a results folder: views over its files (tables.sql) and over `snapshots`.
-- What is called a table here is computed once, when it is first read.  A column with no remark is
-- described in tables.sql.  A building has further views in a views.sql of its own.

-- The studies of which some cell has the small round trips alone.
create table small as
  select distinct study from (
    select study, snapshot, level from counts where workload = 'roundtrip-small'
    except
    select study, snapshot, level from counts where workload = 'roundtrip-full');

-- counts.csv in which every cell of a study has the same round trips, so that cells can be compared:
-- in a study that is `small` the small ones stand for the full ones, and `n` says how many they are.
create view counted as
  select study, snapshot, level,
         iif(workload = 'roundtrip-small' and study in small, 'roundtrip-full', workload) as workload,
         metric, symbol, value, unit, n
    from counts
    where workload <> 'roundtrip-full' or study not in small;

-- lines.csv in the same way.
create view counted_lines as
  select study, snapshot, level,
         iif(workload = 'roundtrip-small' and study in small, 'roundtrip-full', workload) as workload,
         file, line, function, offset, class, instructions, taken, load_accesses, store_accesses, n
    from lines
    where workload <> 'roundtrip-full' or study not in small;

-- How long an ARM1176 is occupied by what was counted (docs/measuring.md, "Cycle models").  It issues
-- one instruction at a time.  A long multiply (umull, umlal, smull, smlal, umaal) occupies it for three
-- cycles, any other instruction for one.  A mispredicted branch takes 5 to 7 cycles, by its distance
-- from what set the flags (ARM DDI 0301H, table 16-11); 6 is the middle, and the instruction itself
-- counts 1.  The model knows no cache and no wait for a result.
create view arm1176 (
  metric,
  cycles  -- for each of them, beyond what another metric of the same instruction has
) as values ('instructions', 1), ('multiplies_long', 2), ('multiplies_umaal', 2),
            ('simulated_mispredictions_arm1176', 5);

-- Mean of a metric per operation, over the whole snapshot and the run-time that it calls.
create table means as
  with totals as (select * from counted where symbol = 'total'),
  -- What was simulated for the small round trips alone stands for any round trip.
  simulated as (
    select few.study, few.snapshot, few.level, 'roundtrip-full' as workload, few.metric,
           round(1.0 * few.value * trips.n / few.n) / trips.n as mean, trips.n
      from totals as few
      join totals as trips using (study, snapshot, level)
      left join totals as own
        on (own.study, own.snapshot, own.level, own.metric, own.workload)
         = (few.study, few.snapshot, few.level, few.metric, 'roundtrip-full')
      where few.workload = 'roundtrip-small' and few.metric like 'simulated\_%' escape '\'
        and (trips.workload, trips.metric) = ('roundtrip-full', 'instructions')
        and own.value is null),
  exact as (
    select study, snapshot, level, workload, metric, 1.0 * value / n as mean, n from totals
    union all
    select study, snapshot, level, workload, metric, mean, n from simulated
    union all
    select study, snapshot, level, workload, metric, 1.0 * value / n, n
      from asm where symbol = 'total')
  select
    study, snapshot, level, workload, metric,
    mean,  -- of one operation, in the unit of the metric
    n      -- operations that it is the mean of
    from exact;

-- The means of a cell and a workload side by side.  A snapshot that was built and not counted has a
-- row without numbers.
create table cells as
  select
    study, snapshot, level, workload,
    max(mean) filter (where metric = 'instructions') as instructions,  -- executed by an operation
    max(mean) filter (where metric = 'loads') as loads,                -- instructions that load
    max(mean) filter (where metric = 'stores') as stores,              -- instructions that store
    max(mean) filter (where metric = 'branches') as branches,          -- taken or not
    max(mean) filter (where metric = 'multiplies') as multiplies,      -- of every width
    max(mean) filter (where metric = 'neon') as neon,                  -- of the NEON and VFP unit
    max(mean) filter (where metric = 'load_accesses') as load_accesses,   -- words, not instructions
    max(mean) filter (where metric = 'store_accesses') as store_accesses
    from means where workload <> 'static'
    group by study, snapshot, level, workload
  union all
  select study, snapshot, level, 'roundtrip-full', null, null, null, null, null, null, null, null
    from asm
    where symbol = 'total' and (study, snapshot, level) not in (
      select study, snapshot, level from counted where workload = 'roundtrip-full')
    group by study, snapshot, level;

-- How large the code of a cell is.
create table sizes as
  select
    study, snapshot, level,
    max(mean) filter (where metric = 'asm_instructions') as asm_instructions,  -- in the object file
    max(mean) filter (where metric = 'asm_lines') as asm_lines,  -- of a -S without -g
    max(mean) filter (where metric = 'code_bytes') as code_bytes  -- with literal pools
    from means where workload = 'static'
    group by study, snapshot, level;

-- Times of the exponentiations, of which a message is two.
create view exponentiation_times as
  select
    study, snapshot, level, repeat,
    iif(metric like '%\_clock' escape '\', 'clock()', 'clock_gettime()') as clock,  -- asked for the time
    iif(unit = 'ns', value / 1000.0, value) as us  -- microseconds
    from times
    where metric in ('encrypt', 'decrypt', 'encrypt_clock', 'decrypt_clock');

-- The same of the messages.
create view trip_times as
  select study, snapshot, level, repeat, clock, sum(us) as us
    from exponentiation_times
    group by study, snapshot, level, clock, repeat;

-- What all repeats come to, in microseconds, in the columns of Bishop & Austin's (2021) table.
create view time_summaries as
  select
    study, snapshot, level,
    kind,  -- `message` or `exponentiation`
    clock,
    sum(us) as total,    -- of all repeats
    avg(us) as mean,     -- of one repeat
    min(us) as minimum,  -- the least of all repeats
    max(us) as maximum,  -- the greatest
    median(us) as median  -- the middle one
    from (select 'message' as kind, * from trip_times
          union all
          select 'exponentiation', study, snapshot, level, repeat, clock, us
            from exponentiation_times)
    group by study, snapshot, level, kind, clock;

-- The time of a round trip.
create view medians as
  select study, snapshot, level,
         median as median_us  -- microseconds by clock_gettime(), the median of all repeats
    from time_summaries
    where (kind, clock) = ('message', 'clock_gettime()');

-- Where the line of a snapshot's parents begins.
create table bases as
  with recursive above (study, snapshot, base_study, base) as (
    select study, snapshot, study, snapshot from snapshots where parent = ''
    union all
    select snapshots.study, snapshots.snapshot, base_study, base
      from above
      join snapshots on (parent_study, parent) = (above.study, above.snapshot))
  select
    study, snapshot,
    base_study,  -- the study of its base
    base         -- the snapshot without a parent that its parents lead back to
    from above;

-- A snapshot at a level: its means, its sizes and its time, beside its parent and its base.
create view ladder as
  select
    here.study, here.workload,
    place,
    here.snapshot, here.level,
    idea, code, parent_study, parent,
    here.instructions,  -- executed by an operation
    here.loads, here.stores, here.branches, here.multiplies, here.neon,
    here.load_accesses, here.store_accesses,
    base.instructions / here.instructions as versus_base,     -- how many times fewer than its base
    above.instructions / here.instructions as versus_parent,  -- how many times fewer than its parent
    coalesce(verdict(here.instructions, above.instructions), '') as verdict,  -- '' without a parent
    asm_instructions, asm_lines, code_bytes, median_us
    from snapshots
    join bases using (study, snapshot)
    join cells as here using (study, snapshot)
    left join cells as base
      on (base.study, base.snapshot, base.level, base.workload)
       = (base_study, bases.base, here.level, here.workload)
    left join cells as above
      on (above.study, above.snapshot, above.level, above.workload)
       = (parent_study, parent, here.level, here.workload)
    left join sizes
      on (sizes.study, sizes.snapshot, sizes.level) = (here.study, here.snapshot, here.level)
    left join medians
      on (medians.study, medians.snapshot, medians.level) = (here.study, here.snapshot, here.level)
    order by here.study, place, here.level;
