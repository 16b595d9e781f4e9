-- What the sentences of texts about results ask.  `:study` and `:snapshot` say what a text is about.

-- scores
-- Each step of a study at each level: its gain, its verdict, what was predicted (NULL where nothing
-- was) and the score.
select * from scores where study = :study order by place, level;

-- counted
-- A row for each snapshot and level of a study that has counts of a workload.
select * from ladder
  where (study, workload) = (:study, :workload) and instructions is not null
  order by place, level;

-- product
-- Instructions of one Montgomery product of a snapshot, and how many times fewer than its parent's.
select level, instructions, versus_parent from ladder
  where (study, snapshot, workload) = (:study, :snapshot, 'mont_mul');

-- moves
-- All instructions of a snapshot's round trips, and moves between core and NEON unit, where these
-- are 5 % at least.
select level, max(n) as n, sum(instructions) as instructions,
       sum(instructions) filter (where class = 'neon_move') as moves
  from spent where (study, snapshot) = (:study, :snapshot)
  group by level having moves >= 0.05 * sum(instructions);

-- modelled
-- A snapshot beside its parent: instructions, simulated mispredictions, cycles of the model; their
-- factor, and the least and the greatest one that the model's errors allow: `low` and `high` of code
-- of the snapshot's kind.
select own.level, above.instructions / own.instructions as gain, above.cycles as cycles_before,
       own.cycles, above.wrong as wrong_before, own.wrong, own.code, error.low, error.high,
       above.cycles / own.cycles as factor,
       above.cycles / own.cycles * (1 + error.low) / (1 + error_above.high) as least,
       above.cycles / own.cycles * (1 + error.high) / (1 + error_above.low) as greatest
  from snapshots
  join simulated as own on (own.study, own.snapshot) = (snapshots.study, snapshots.snapshot)
  join simulated as above on (above.study, above.snapshot, above.level)
                           = (parent_study, parent, own.level)
  join errors as error on error.code = own.code
  join errors as error_above on error_above.code = above.code
  where (own.study, own.snapshot) = (:study, :snapshot) order by own.level;

-- timed
-- Microseconds of a round trip of a snapshot and of its parent.
select level, above.median_us as parent_us, own.median_us as own_us
  from medians as own join medians as above using (level)
  join snapshots on (snapshots.study, snapshots.snapshot) = (own.study, own.snapshot)
    and (parent_study, parent) = (above.study, above.snapshot)
  where (own.study, own.snapshot) = (:study, :snapshot) order by level;
