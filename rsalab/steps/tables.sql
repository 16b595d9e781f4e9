-- times
select * from time_summaries join snapshots using (study, snapshot) where study = :study
  order by level, place, kind desc, clock desc;

-- perf
select * from perf_table where (study, level) = (:study, :level) order by place;
