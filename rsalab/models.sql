-- Cycles of an ARM1176 by model.

-- modelled
-- Cycles of each rung and level, with the model's error for code of its kind.
select snapshot, place, level, low, high,
       max(cycles) filter (where workload = 'mont_mul') as mont_mul,
       max(cycles) filter (where workload = 'roundtrip-full') as round_trip
  from modelled join errors using (model, code)
  group by place, level order by place, level;

-- kept
-- The rows of models.csv, without what has no known error.
select study, snapshot, level,
       iif(workload = 'roundtrip-full' and study in small, 'roundtrip-small', workload) as "case",
       cast(round(cycles * n) as integer) as value, n
  from modelled join errors using (model, code)
  order by place, level, workload;
