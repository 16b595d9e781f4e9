-- Where the tables of a results folder, its machine.json and the snapshots of this checkout
-- contradict each other.  :programs is what machine.json says of programs, label -> hash;
-- :levels are those that a program can be built at.  Each question gives lines of text.

-- faults
with kept (file, study, snapshot, level) as (
  select 'asm.csv', study, snapshot, level from asm
  union select 'counts.csv', study, snapshot, level from counts
  union select 'times.csv', study, snapshot, level from times
  union select 'models.csv', study, snapshot, level from models
  union select 'agreement.csv', study, snapshot, level from agreement
  union select 'perf.csv', study, snapshot, level from perf
  union select 'lines.csv', study, snapshot, level from lines
  union select 'provenance.csv', study, snapshot, level from provenance
  union select 'traces.csv', study, snapshot, level from traces
  union select 'calls.csv', study, snapshot, level from calls
  union select 'cycles.csv', study, snapshot, level from cycles
  union select 'events.csv', study, snapshot, level from events
), cells as (
  select *, study || '/' || snapshot || '/' || level as label,
         level in (select value from json_each(:levels)) and exists (
           select 1 from snapshots
             where (snapshots.study, snapshots.snapshot) = (kept.study, kept.snapshot)) as known
    from kept
), programs as (
  select key as label, value as program from json_each(:programs)
), sums as (
  select file, study || ' ' || snapshot || ' ' || level || ' ' || workload || ' ' || metric as place,
         sum(value) filter (where symbol = 'total') as total,
         sum(value) filter (where symbol not in ('total', 'snapshot')) as parts
    from (select 'counts.csv' as file, * from counts union all select 'asm.csv', * from asm)
    group by file, place having parts is not null
)
select file || ': no snapshot and level ' || label || ' here' as ''
  from cells where not known
union all  -- whose calls are counted in programs of their own
select min(file) || ': machine.json has no program for ' || label
  from cells left join programs using (label)
  where known and file <> 'calls.csv' and program is null group by label
union all
select distinct 'provenance.csv: machine.json has another program for ' || label
  from provenance
  join programs on label = study || '/' || snapshot || '/' || level
  where provenance.program <> programs.program
union all
select file || ': total ' || coalesce(total, 'none') || ' is not the sum of its symbols, ' || parts
       || ': ' || place
  from sums where total is not parts;
