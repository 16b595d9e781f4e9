-- What the tables beside the words of words.md ask.  `:source` is a source, or '' for all of them.

-- errata
select * from errata where :source in (source, '');

-- claims
select * from claims where source = :source;

-- lessons
-- Each sentence with the gains at the levels that it is about.
select lessons.rowid as place, source, sentence, lessons.level as only, gains.level, gain
  from lessons
  join gains on (slow, fast) = (above, below) and gains.level = ifnull(lessons.level, gains.level)
  where :source in (source, '') order by place, gains.level;

-- bishop
-- Bishop and Austin's Table 1: the factor against the first row, and the one before; and which of
-- our programs is like a row, `ours`, after which other, `against`.
select *, first_value(1.0 * seconds) over (order by his.rowid) / seconds as versus_first,
       lag(seconds) over (order by his.rowid) / seconds as step
  from bishop_austin_2021_table_1 as his join bishop_austin_2021_map using (iteration)
  order by his.rowid;

-- perf
-- What `perf` counted of the programs of 64 bits that are like Dirk's.
select distinct label, dirk.place, perf_table.number from perf_table
  join dirk using (snapshot, level, label) where study = 'width-64' and perf_table.number is not null;

-- known
-- What else is known of a round trip of these programs.
select distinct place, metric, mean from known join dirk using (snapshot, level)
  where study = 'width-64';

-- error
-- The error of the model of an ARM1176, over all kinds of code.
select min(low) as low, max(high) as high from errors having low is not null;

-- listings
select listing, code, his.instructions as theirs, ours.snapshot, ours.instructions
  from dirk_2019_listings as his
  left join cells as ours on (study, level, workload) = ('width-64', 'O0', 'mont_mul')
    and snapshot = iif(listing = '7', 'v1', 'v2')
  where listing in ('7', '8');

-- calls
-- Calls of each function in Lee's gprof runs, by a round trip; `output` 1 is of his v0, 2 of his v2.
select output, name, round(2 * max(called) over (partition by output, name)
                             / max(iif(name like 'modular_exp%', 1.0 * called, 0))
                                 over (partition by output), 1) as called
  from lee_2021_gprof where role = 'function';
