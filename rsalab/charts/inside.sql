-- What the charts of a rung's inside ask; `?1` is the study, `?2` a case or a level.

-- lines_of_memory
select snapshot, level, load_accesses + store_accesses as count
  from ladder where (study, workload) = (?1, 'roundtrip-full') and load_accesses is not null;

-- lines_of_calls
select snapshot, level, sum(calls) as count from trip_calls where study = ?1 group by snapshot, level;

-- changes
-- What each step changed in a round trip, in per cent of its parent's instructions.
with changed as (
  select snapshots.study, place, own.level, snapshots.snapshot, parent, idea,
         100 * (own.loads - above.loads) / above.instructions as loads,
         100 * (own.stores - above.stores) / above.instructions as stores,
         100 * (own.instructions - above.instructions) / above.instructions as whole
    from snapshots
    join cells as own using (study, snapshot)
    join cells as above on (above.study, above.snapshot, above.level, above.workload)
                         = (parent_study, parent, own.level, own.workload)
    where own.workload = 'roundtrip-full')
select *, whole - loads - stores as rest from changed
  where study = ?1 and whole is not null order by place, level;

-- product
-- The classes of one product at the highest level, in C and by hand: of the rungs that have
-- assembly, and of the parent of the first of them.
with by_hand as (select snapshot, parent, place from snapshots where (study, code) = (?1, 'assembly')),
     counted as (select * from classes where (study, workload) = (?1, 'mont_mul') and mean > 0)
select snapshot, place, usual, kind, level, mean from counted
  where level = (select max(level) from counted)
    and (snapshot in (select snapshot from by_hand)
         or snapshot = (select parent from by_hand order by place limit 1))
  order by class_place;

-- kinds
-- Instructions of a round trip by class.
select place, snapshot, level, kind, mean from classes
  where (study, workload) = (?1, 'roundtrip-full');

-- products
select snapshot, sum(calls * (callee in ('mmm', 'mont_mul', 'mmm_1'))) as every,
       sum(calls * (callee = 'mmm_1')) as one
  from trip_calls join snapshots using (study, snapshot)
  where (trip_calls.study, level) = (?1, ?2) group by snapshot order by place;

-- inlined
-- Calls of each function in a round trip, the busiest first.
select snapshot, trip_calls.level, callee, calls
  from trip_calls join snapshots using (study, snapshot)
  where trip_calls.study = :study order by place, level, calls desc, callee;
