-- What the tables of texts about results ask.  `:study` and `:snapshot` say what a text is about.

-- product
-- Instructions of one Montgomery product of a snapshot, by level.
select :called as snapshot, level, instructions from cells
  where (study, snapshot, workload) = (:study, :snapshot, 'mont_mul');

-- account
-- Calls, and instructions in all of them, of the parent (side 0) and the child (side 1): of the three
-- functions whose share of all changes at some level is largest, and 5 % at least.
with own as materialized (
    select 0 as side, study, snapshot, level, function, 1.0 * sum(instructions) / max(n) as own
      from spent where (study, snapshot) = (:parent_study, :parent) group by level, function
    union all
    select 1, study, snapshot, level, function, 1.0 * sum(instructions) / max(n)
      from spent where (study, snapshot) = (:study, :snapshot) group by level, function),
  changes as (
    select level, function, abs(sum(iif(side, own, -own))) as change
      from own
      where level in (select level from own group by level having count(distinct side) = 2)
      group by level, function),
  shares as (
    select function, change / sum(change) over (partition by level) as share from changes),
  movers as (
    select function, max(share) as share from shares
      group by function order by share desc limit 3)
select function, side, level, calls, own
  from movers join own using (function) left join entered using (study, snapshot, function)
  where share >= 0.05 order by share desc, function, side, level;

-- simulated
-- A snapshot and its parent: what was simulated, and the cycles of the model.
select level, simulated.snapshot, instructions, wrong, cycles
  from snapshots
  join simulated on (simulated.study, simulated.snapshot) = (snapshots.study, snapshots.snapshot)
    or (simulated.study, simulated.snapshot) = (parent_study, parent)
  where (snapshots.study, snapshots.snapshot) = (:study, :snapshot)
  order by level, simulated.snapshot = :snapshot;

-- traced
-- At each level how many secrets a function was traced with, and how many traces there were.
select study, snapshot, symbol as function, level, min(n) as secrets, max(value) as traces
  from traces group by study, snapshot, symbol, level order by level;
