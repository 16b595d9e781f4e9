-- Cycles by model of every rung that has a known error, and comparisons with measurements.

-- rungs
select snapshot as rung, '-' || level as level,
       whole(max(cycles) filter (where workload = 'mont_mul')) as mont_mul,
       whole(max(cycles) filter (where workload = 'roundtrip-full')) as "round trip",
       percent(low, high) as error
  from modelled join errors using (model, code)
  where model = :model
  group by place, level order by level, place;

-- by_level
select snapshot as rung, percent(low, high) as error, level as "*",
       whole(max(cycles) filter (where workload = 'mont_mul')) as mont_mul,
       whole(max(cycles) filter (where workload = 'roundtrip-full')) as "round trip"
  from modelled join errors using (model, code)
  where model = :model
  group by place, level order by place;

-- compared
select what as "compared with", bits, unit as quantity, digits(measured) as measured,
       digits(modelled) as model,
       format('%+.1f %%', 100 * (modelled / measured - 1)) as error
  from comparisons
  where (model, code) = (:model, :code)
  order by what, bits, unit;

-- hidden
select model, replace(group_concat(distinct snapshot), ',', ', ') as rungs
  from (select * from modelled order by place) left join errors using (model, code)
  where low is null
  group by model;

-- executed
select snapshot, level, workload, n, cast(round(mean * n) as integer) as instructions
  from means
  where (study, metric) = ('iterations', 'instructions')
    and workload in ('mont_mul', 'roundtrip-full');

-- kept
select study, snapshot, level,
       iif(workload = 'roundtrip-full' and study in small, 'roundtrip-small', workload) as "case",
       'model_cycles_' || model as metric, 'total' as symbol,
       cast(round(cycles * n) as integer) as value, 'cycles' as unit, n, 0 as repeat
  from modelled join errors using (model, code)
  order by model, place, level, workload;
