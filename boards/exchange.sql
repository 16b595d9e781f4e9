-- Where the files of a results folder may contradict each other, its machine.json or the snapshots
-- of this checkout.

-- cells
-- Each file with each cell that it has rows of; is_here: whether this checkout has the snapshot.
with kept (file, study, snapshot, level) as (
  select 'asm.csv', study, snapshot, level from asm
  union select 'counts.csv', study, snapshot, level from counts
  union select 'times.csv', study, snapshot, level from times
  union select 'agreement.csv', study, snapshot, level from agreement
  union select 'perf.csv', study, snapshot, level from perf
  union select 'lines.csv', study, snapshot, level from lines
  union select 'provenance.csv', study, snapshot, level from provenance
  union select 'traces.csv', study, snapshot, level from traces
  union select 'calls.csv', study, snapshot, level from calls
  union select 'cycles.csv', study, snapshot, level from cycles
  union select 'events.csv', study, snapshot, level from events
)
select kept.file, kept.study, kept.snapshot, kept.level, snapshots.place is not null as is_here
  from kept left join snapshots using (study, snapshot)
  order by kept.file, kept.study, kept.snapshot, kept.level;

-- programs
-- The hash of each program that was measured.
select study, snapshot, level, program from provenance;

-- sums
-- Each total that is not the sum of the parts beside it.
with numbers as (
  select 'counts.csv' as file, * from counts
  union all select 'asm.csv', * from asm
), sums as (
  select file, study, snapshot, level, workload, metric,
         sum(value) filter (where symbol = 'total') as total,
         sum(value) filter (where symbol not in ('total', 'snapshot')) as parts
    from numbers
    group by file, study, snapshot, level, workload, metric
)
select * from sums where parts is not null and total is not parts;
