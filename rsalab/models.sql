-- Cycles by model, and comparisons with measurements.

-- modelled
-- Cycles of each rung and level, with the model's error for code of its kind, NULL where it is not
-- known.
select snapshot, place, level, low, high,
       max(cycles) filter (where workload = 'mont_mul') as mont_mul,
       max(cycles) filter (where workload = 'roundtrip-full') as round_trip
  from modelled left join errors using (model, code)
  where model = :model
  group by place, level order by place, level;

-- executed
-- Instructions of all operations of a cell and workload.
select snapshot, level, workload, n, cast(round(mean * n) as integer) as instructions
  from means
  where (study, metric) = ('iterations', 'instructions')
    and workload in ('mont_mul', 'roundtrip-full');

-- kept
-- The rows of models.csv, without what has no known error.
select study, snapshot, level,
       iif(workload = 'roundtrip-full' and study in small, 'roundtrip-small', workload) as "case",
       'model_cycles_' || model as metric, 'total' as symbol,
       cast(round(cycles * n) as integer) as value, 'cycles' as unit, n, 0 as repeat
  from modelled join errors using (model, code)
  order by model, place, level, workload;
