-- What is said of the sources.  `:source` is a source, or '' for all of them.

-- errata
select * from errata order by rowid;

-- instructions
-- What a function of a program executes in a round trip, or the whole program (`total`).
select level, 1.0 * value / n as mean
  from counted
  where (study, snapshot, symbol) = (:study, :snapshot, :symbol)
    and (workload, metric) = ('roundtrip-full', 'instructions')
  order by level;

-- lessons
select * from lessons where :source in (source, '') order by rowid;

-- bishop
-- Bishop and Austin's Table 1: the factor against the row before; and which of our programs is like a
-- row, `ours`, after which other, `against`.
select *, lag(seconds) over (order by his.rowid) / seconds as step
  from bishop_austin_2021_table_1 as his join bishop_austin_2021_map using (iteration)
  order by his.rowid;
