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

-- survival
-- The verdict of each step at each level.
select snapshot, level, verdict, versus_parent, idea, parent
  from ladder
  where (study, workload) = (?1, 'roundtrip-full') and verdict <> ''
  order by place, level;
