-- The files of a results folder, a table each: long and tidy CSV, one observation a row, never
-- quoted.  calls.csv is in the folder's gprof/.  Exact numbers (counts, asm, lines, operations) and
-- noisy ones (times, perf) are never in one file.  `value` is the integer total over n operations;
-- means are derived by the reader (views.sql).  No two rows of a file agree in what its line
-- `unique` names.

create table asm (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer not null check (value between 0 and 999999999999999), unit text,
  n integer not null check (n > 0), repeat integer not null,
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

create table counts (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer not null check (value between 0 and 999999999999999), unit text,
  n integer not null check (n > 0), repeat integer not null,
  check (value > 0 or metric <> 'instructions' or symbol <> 'total'),
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

create table times (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer not null check (value between 0 and 999999999999999), unit text,
  n integer not null check (n > 0), repeat integer not null,
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

create table models (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer not null check (value between 0 and 999999999999999), unit text,
  n integer not null check (n > 0), repeat integer not null,
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

-- Calls of mont_mul by each counter; `symbol` names the counter.
create table agreement (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer not null check (value between 0 and 999999999999999), unit text,
  n integer not null check (n > 0), repeat integer not null,
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

-- What the kernel estimates; what it cannot has no value, and a unit that says why.
create table perf (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer, unit text,
  n integer not null check (n > 0), repeat integer not null,
  check (abs(value) < 1000000000000000), check (value is not null or unit like 'not %' or unit like 'multiplexed%'),
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

-- An empty number is 0.
create table lines (
  study text, snapshot text, level text, workload text,
  file text check (file not like '/%' and file not like '%..%'), line integer not null on conflict replace default 0,
  function text, offset text, class text,
  instructions integer not null on conflict replace default 0 check (instructions between 0 and 999999999999999),
  taken integer not null on conflict replace default 0 check (taken between 0 and 999999999999999),
  load_accesses integer not null on conflict replace default 0 check (load_accesses between 0 and 999999999999999),
  store_accesses integer not null on conflict replace default 0 check (store_accesses between 0 and 999999999999999),
  n integer not null check (n > 0),
  unique (study, snapshot, level, workload, file, line, function, offset, class)) strict;

-- The hashes of what a case was measured with.
create table provenance (
  study text, snapshot text, level text, workload text, n integer not null check (n > 0),
  program text, inputs text, flags text,
  unique (study, snapshot, level, workload)) strict;

create table traces (
  study text, snapshot text, level text, compiler text, function text,
  secrets integer not null, traces integer not null,
  unique (study, snapshot, level, compiler, function)) strict;

-- Products, powers and private operations of studies/width-1024: `way` is how it is computed.
create table operations (
  implementation text, level text, operation text, bits integer not null, operands text, way text,
  metric text, value integer not null check (value between 0 and 999999999999999), unit text,
  unique (implementation, level, operation, bits, operands, way, metric)) strict;

-- RSA operations of OpenSSL (studies/openssl).
create table openssl (
  implementation text, level text, operation text, bits integer not null, operands text, way text,
  metric text, value integer not null check (value between 0 and 999999999999999), unit text,
  unique (implementation, level, operation, bits, operands, way, metric)) strict;

create table calls (
  study text, snapshot text, level text, caller text, callee text,
  calls integer not null check (calls >= 0),
  unique (study, snapshot, level, caller, callee)) strict;

-- Totals of n operations on a core (studies/hardware/cores): in the layout of the program that takes
-- least cycles, `most` in the one that takes most; and these cycles by what they went into.  `kind` is
-- `simulation` of the core's own Verilog, or `model`, whose `error` is a range in per cent: `-4..+4`.
create table cycles (
  core text, study text, snapshot text, level text, operation text,
  n integer not null check (n > 0), instructions integer not null, cycles integer not null,
  layouts integer not null, most integer not null, kind text, error text,
  unique (core, study, snapshot, level, operation)) strict;
-- Published code on a modelled core: its cycles as measured on silicon, and by the model.
create table validation (
  core text, function text, operation text, kind text,
  measured integer not null check (measured > 0), modelled integer not null check (modelled > 0),
  unique (core, function)) strict;
create table events (
  core text, study text, snapshot text, level text, operation text, event text,
  count integer not null, cycles integer not null,
  unique (core, study, snapshot, level, operation, event)) strict;
create table units (
  core text, unit text, kernel text, width integer not null, operation text,
  n integer not null check (n > 0), instructions integer not null, cycles integer not null,
  unique (core, unit, kernel, width, operation)) strict;
