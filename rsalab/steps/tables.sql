-- times
-- The time of each round trip in microseconds, in the order of the rungs, and beside it the median of
-- the rung's base.
select trip_times.study, place, trip_times.snapshot, trip_times.level, us, base, above.median_us as base_us
  from trip_times join snapshots using (study, snapshot) join bases using (study, snapshot)
  left join medians as above
    on (above.study, above.snapshot, above.level) = (base_study, base, trip_times.level)
  where clock = 'clock_gettime()' order by place, trip_times.level;

-- perf
select * from perf_table where (study, level) = (:study, :level) order by place;
