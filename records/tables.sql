-- The heads of a results folder's files: long and tidy CSV, one observation a row, never quoted.
-- files.csv says which file has which.  No two rows of a file agree in what its line `unique` names.  A
-- column means the same in every file; it has its remark where it first occurs.

-- An exact number, or one that a model works out from exact ones.
create table numbers (
  study text,     -- `iterations`, or the folder under studies/
  snapshot text,  -- the folder of the program: `v4`; of long numbers and OpenSSL its implementation
  level text,     -- of optimisation, without the dash: `O3`
  compiler text,  -- its name and version: `gcc 12.2.0`; machine.json has the rest of it
  workload text,  -- `roundtrip-full`, `mont_mul`, `product-1024-random-levels-2`; `static` of what is built
  metric text,    -- what was counted or measured: `instructions`, `loads`, `class_umaal`, ...
  symbol text,    -- a function, `snapshot` (all its own code) or `total` (with the run-time it calls)
  value integer not null check (value between 0 and 999999999999999),  -- total over all n operations
  unit text,      -- of the value
  n integer not null check (n > 0),  -- operations: round trips, calls, or secrets that were tried
  kind text check (kind in ('exact', 'model')),  -- `exact`, the same on every rerun, or `model`
  check (value > 0 or metric <> 'instructions' or symbol <> 'total'),
  unique (study, snapshot, level, compiler, workload, metric, symbol)) strict;

-- A number of one measurement of several; what could not be measured has no value, and a unit that
-- says why.
create table samples (
  study text, snapshot text, level text, compiler text, workload text, metric text, symbol text,
  value integer check (abs(value) < 1000000000000000), unit text,
  n integer not null check (n > 0),
  kind text check (kind = 'timed'),  -- `timed`, never the same twice
  repeat integer not null,           -- which of the measurements
  check (value is not null or unit like 'not %' or unit like 'multiplexed%'),
  unique (study, snapshot, level, compiler, workload, metric, symbol, repeat)) strict;

-- Executed instructions by address in the snapshot's code, and so by line of source.  An empty number
-- is 0.
create table addresses (
  study text, snapshot text, level text, workload text,
  file text check (file not like '/%' and file not like '%..%'),  -- of the snapshot: `rsa.c`
  line integer not null on conflict replace default 0,  -- in the file
  function text,  -- of the source, to which the line belongs
  offset text,    -- of the instruction in its function, in bytes, hexadecimal
  class text,     -- of the instruction (harness/plugin/a32.h): `umaal`, `load_multiple`, ...
  instructions integer not null on conflict replace default 0  -- executions of the instruction
    check (instructions between 0 and 999999999999999),
  taken integer not null on conflict replace default 0  -- branches that were taken
    check (taken between 0 and 999999999999999),
  load_accesses integer not null on conflict replace default 0  -- words that were loaded
    check (load_accesses between 0 and 999999999999999),
  store_accesses integer not null on conflict replace default 0  -- words that were stored
    check (store_accesses between 0 and 999999999999999),
  n integer not null check (n > 0),
  unique (study, snapshot, level, workload, file, line, function, offset, class)) strict;

-- The hashes of what a workload was measured with.
create table hashes (
  study text, snapshot text, level text, workload text, n integer not null check (n > 0),
  program text,  -- SHA-256 of the program that was measured
  inputs text,   -- SHA-256 of keys and messages
  flags text,    -- SHA-256 of the compiler's options
  unique (study, snapshot, level, workload)) strict;
