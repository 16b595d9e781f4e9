-- What is said of the sources.  `:source` is a source, or '' for all of them.

-- errata
select * from errata where :source in (source, '');

-- lessons
-- Each sentence with the gains at the levels that it is about.
select lessons.rowid as place, source, sentence, lessons.level as only, gains.level, gain
  from lessons
  join gains on (slow, fast) = (above, below) and gains.level = ifnull(lessons.level, gains.level)
  where :source in (source, '') order by place, gains.level;

-- bishop
-- Bishop and Austin's Table 1: the factor against the row before; and which of our programs is like a
-- row, `ours`, after which other, `against`.
select *, lag(seconds) over (order by his.rowid) / seconds as step
  from bishop_austin_2021_table_1 as his join bishop_austin_2021_map using (iteration)
  order by his.rowid;
