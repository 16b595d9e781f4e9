-- What the charts of a rung's inside ask; `?1` is the study, `?2` a case or a level.

-- kinds
-- Instructions of a round trip by class.
select place, snapshot, level, kind, mean from classes
  where (study, workload) = (?1, 'roundtrip-full');
