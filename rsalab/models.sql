-- Cycles of an ARM1176 by model.

-- modelled
-- Cycles of each rung and level, with the model's error for code of its kind.
select snapshot, place, level, low, high,
       max(cycles) filter (where workload = 'mont_mul') as mont_mul,
       max(cycles) filter (where workload = 'roundtrip-full') as round_trip
  from modelled join errors using (model, code)
  where study = 'iterations'
  group by place, level order by place, level;
