-- Where the files of a results folder may contradict each other, its machine.json or the snapshots
-- of this checkout.

-- cells
-- Each file with each cell that it has rows of; is_here: whether this checkout has the snapshot.
with kept as (
  select file, study, snapshot, level from numbers
  union select 'times.csv', study, snapshot, level from times
  union select 'perf.csv', study, snapshot, level from perf
  union select 'lines.csv', study, snapshot, level from lines
  union select 'provenance.csv', study, snapshot, level from provenance
)
select kept.file, kept.study, kept.snapshot, kept.level, snapshots.place is not null as is_here
  from kept left join snapshots using (study, snapshot)
  order by kept.file, kept.study, kept.snapshot, kept.level;

-- programs
-- The hash of each program that was measured.
select study, snapshot, level, program from provenance;

-- sums
-- Each total that is not the sum of the parts beside it.
with sums as (
  select file, study, snapshot, level, workload, metric,
         sum(value) filter (where symbol = 'total') as total,
         sum(value) filter (where symbol not in ('total', 'snapshot')) as parts
    from numbers where file in ('counts.csv', 'asm.csv')
    group by file, study, snapshot, level, compiler, workload, metric
)
select * from sums where parts is not null and total is not parts;
