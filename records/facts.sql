-- What a question can join with a results folder: the snapshots as their folders say, and what is
-- committed once, whatever folder is read.  records/results.py fills them.

-- Every snapshot of the ladder and of the studies.
create table snapshots (
  study,
  place,         -- the snapshot's among all, parents before children
  snapshot,
  idea,          -- of its README
  code,          -- `assembly`, or `compiled C` without any
  parent_study,  -- the study of its parent
  parent,        -- the snapshot that it is compared with, '' without one
  width,         -- of its numbers, in bits
  constant_time  -- 1 where its README says that nothing depends on the exponent
);

-- What each step was expected to gain.
create table predictions (
  study, snapshot, level,
  low,       -- the least factor that was expected, instructions of the parent / of this
  high,      -- the largest
  disclosed,  -- 1 where the result was known before
  kind,       -- `guess`, `estimate` or `count`
  cause       -- why it missed, of a fixed list; '' where it did not
);

-- RSA operations of OpenSSL as the committed reference has them.
create table openssl_record as select * from openssl limit 0;

-- The cycles of every core, results/core-*/cycles.csv; the view `cores` has the means.
create table every_core as select
  '' as platform,  -- the folder below results/
  * from cycles limit 0;

-- The counts by every compiler, results/compilers/*/counts.csv; the view `compilers` has the means.
create table every_compiler as select '' as platform, * from counts limit 0;
