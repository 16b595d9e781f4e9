-- What the charts of the ladder and of the studies ask; `?1` is the study.

-- steps
-- What each step gains over its parent, and last the last rung with assembly over the best C,
-- which is of another level, `best_level`.
with counted as (
  select * from ladder where (study, workload) = (?1, 'roundtrip-full')),
best as (select * from counted where code <> 'assembly' and instructions is not null
           order by instructions, place, level limit 1)
select place, snapshot, parent, '' as best_level, level, versus_parent as gain
  from counted where versus_parent is not null
union all
select 1000, counted.snapshot, best.snapshot, best.level, counted.level,
       best.instructions / counted.instructions
  from counted join best
  where counted.place = (select max(place) from counted where code = 'assembly')
    and counted.instructions is not null;

-- lost
-- By rung how many times more the level `low` has of a metric than the level `high`.
select high.snapshot, low.instructions / high.instructions as instructions,
       (low.loads + low.stores) / (high.loads + high.stores) as accesses,
       low.code_bytes / high.code_bytes as code_bytes
  from ladder as high left join ladder as low
    on (low.study, low.snapshot, low.workload, low.level)
     = (high.study, high.snapshot, high.workload, :low)
  where (high.study, high.workload, high.level) = (:study, 'roundtrip-full', :high)
  order by high.place;

-- by_file
-- Instructions of a round trip in the assembly of a snapshot, and in its C.
select level, total(instructions) filter (where file = 'mont.S') as assembly,
       total(instructions) filter (where file <> 'mont.S') as c
  from trip_lines where (study, snapshot) = (?1, ?2) group by level;

-- survival
-- The verdict of each step at each level.
select snapshot, level, verdict, versus_parent, idea, parent
  from ladder
  where (study, workload) = (?1, 'roundtrip-full') and verdict <> ''
  order by place, level;
