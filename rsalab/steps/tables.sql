-- ladder
with rows as (
  select *, max(20, :width - 70 - max(length(snapshot)) over () - 12 * (count(median_us) over () > 0))
              as room
    from ladder
    where (study, level, workload) = (:study, :level, 'roundtrip-full')
      and (trim(:only) = '' or instr(:only, ' ' || snapshot || ' ')))
select snapshot as rung, iif(length(idea) > room, substr(idea, 1, room - 1) || '…', idea) as idea,
       whole(instructions) as instructions, factor(versus_base) as "v0/this",
       factor(versus_parent) as "parent/this", ifnull(nullif(verdict, ''), '-') as verdict,
       whole(asm_lines) as "asm lines", whole(code_bytes) as bytes, digits(median_us) as "median us"
  from rows order by place;

-- times
select snapshot as rung, level, kind as "of", clock, digits(total) as total, digits(mean) as mean,
       digits(minimum) as minimum, digits(maximum) as maximum, digits(median) as median
  from time_summaries join snapshots using (study, snapshot) where study = :study
  order by level, place, kind desc, clock desc;

-- perf
select label as "a round trip, user space, median", snapshot as "*",
       case when number is null then '-' when number >= 1000 then whole(number)
            else format('%.4g', number) end as ""
  from perf_table where (study, level) = (:study, :level) order by place;

-- absent
select why || ': ' || group_concat(label, ', ') as ""
  from (select distinct why, place, label from perf_table
          where (study, level) = (:study, :level) and why is not null order by place)
  group by why order by min(place);
