-- The files of a results folder, a table each: long and tidy CSV, one observation a row, never
-- quoted.  calls.csv is in the folder's gprof/.  Exact numbers (counts, asm, lines, operations) and
-- noisy ones (times, perf) are never in one file.  No two rows of a file agree in what its line
-- `unique` names.  A column means the same in every file; it has its remark where it first occurs.

-- Executed instructions and what belongs to them, by function: exact, the same on every rerun with the
-- same compiler.
create table counts (
  study text,     -- `iterations`, or the folder under studies/
  snapshot text,  -- the folder of the program: `v4`
  level text,     -- of optimisation, without the dash: `O3`
  workload text,  -- `case` in the file: `roundtrip-full`, `mont_mul`, ...; `static` of what is built
  metric text,    -- what was counted or measured: `instructions`, `loads`, `class_umaal`, ...
  symbol text,    -- a function, `snapshot` (all its own code) or `total` (with the run-time it calls)
  value integer not null check (value between 0 and 999999999999999),  -- total over all n operations
  unit text,      -- of the value
  n integer not null check (n > 0),  -- operations: round trips, or calls
  repeat integer not null,           -- of a measurement; 0 of a count
  check (value > 0 or metric <> 'instructions' or symbol <> 'total'),
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

-- Sizes of the code: `asm_instructions` of the object file, without literal pools; `asm_lines` of a
-- second -S without -g, only for comparison with the sources; `code_bytes`.
create table asm (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer not null check (value between 0 and 999999999999999), unit text,
  n integer not null check (n > 0), repeat integer not null,
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

-- Times of encryptions and decryptions on the board itself, every sample; `_tainted` is a sample that
-- a changing clock rate has spoilt.
create table times (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer not null check (value between 0 and 999999999999999), unit text,
  n integer not null check (n > 0), repeat integer not null,
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

-- Instructions of the same calls of mont_mul by each counter, which `symbol` names.
create table agreement (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer not null check (value between 0 and 999999999999999), unit text,
  n integer not null check (n > 0), repeat integer not null,
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

-- What the hardware's counters estimate; what they cannot has no value, and a unit that says why.
create table perf (
  study text, snapshot text, level text, workload text, metric text, symbol text,
  value integer, unit text,
  n integer not null check (n > 0), repeat integer not null,
  check (abs(value) < 1000000000000000), check (value is not null or unit like 'not %' or unit like 'multiplexed%'),
  unique (study, snapshot, level, workload, metric, symbol, repeat)) strict;

-- Executed instructions by address in the snapshot's code, and so by line of source.  An empty number
-- is 0.
create table lines (
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

-- The hashes of what a case was measured with.
create table provenance (
  study text, snapshot text, level text, workload text, n integer not null check (n > 0),
  program text,  -- SHA-256 of the program that was measured
  inputs text,   -- SHA-256 of keys and messages
  flags text,    -- SHA-256 of the compiler's options
  unique (study, snapshot, level, workload)) strict;

-- How many different traces of addresses a function has (verification/traces.py).
create table traces (
  study text, snapshot text, level text,
  compiler text,             -- its name and version
  function text,
  secrets integer not null,  -- exponents or operands that were tried
  traces integer not null,   -- 1 where none can be told from another
  unique (study, snapshot, level, compiler, function)) strict;

-- Products, powers and private operations of long numbers (studies/width-1024).
create table operations (
  implementation text,    -- the program
  level text,
  operation text,         -- `product`, `square`, `power`, `private`; of OpenSSL `sign`, `verify`
  bits integer not null,  -- of the numbers
  operands text,          -- `random`, or a pattern of the source
  way text,               -- `levels-N` of Karatsuba, METHOD-WINDOW of a power, standard- or crt-HOW
  metric text, value integer not null check (value between 0 and 999999999999999), unit text,
  unique (implementation, level, operation, bits, operands, way, metric)) strict;

-- RSA operations of OpenSSL (studies/openssl).
create table openssl (
  implementation text, level text, operation text, bits integer not null, operands text, way text,
  metric text, value integer not null check (value between 0 and 999999999999999), unit text,
  unique (implementation, level, operation, bits, operands, way, metric)) strict;

-- Calls of functions in one round trip, that of the first message, with -pg (harness/gprof.py).
create table calls (
  study text, snapshot text, level text,
  caller text,  -- `<total>` for all callers together
  callee text,  -- the function that is called
  calls integer not null check (calls >= 0),  -- of the first message; `entered` has the mean of all
  unique (study, snapshot, level, caller, callee)) strict;

-- Totals of n operations on a core (studies/hardware/cores).
create table cycles (
  core text,                 -- `picorv32`, `vexriscv`, ...
  study text, snapshot text, level text, operation text,
  n integer not null check (n > 0), instructions integer not null,
  cycles integer not null,   -- in the layout of the program that takes least
  layouts integer not null,  -- that were tried
  most integer not null,     -- cycles in the layout that takes most
  kind text,                 -- `simulation` of the core's own Verilog, or `model`
  error text,                -- of a model, a range in per cent: `-4..+4`
  unique (core, study, snapshot, level, operation)) strict;

-- Published code on a modelled core.
create table validation (
  core text, function text, operation text, kind text,
  measured integer not null check (measured > 0),  -- cycles on silicon
  modelled integer not null check (modelled > 0),  -- cycles by the model
  unique (core, function)) strict;

-- What the cycles of cycles.csv went into.
create table events (
  core text, study text, snapshot text, level text, operation text,
  event text,              -- a kind of instruction, or what it waits for
  count integer not null,  -- how often
  cycles integer not null,
  unique (core, study, snapshot, level, operation, event)) strict;

-- The same of multiplying units of one's own on these cores.
create table units (
  core text,
  unit text,               -- '' without one
  kernel text,             -- the loop that was measured
  width integer not null,  -- in bits
  operation text,
  n integer not null check (n > 0), instructions integer not null, cycles integer not null,
  unique (core, unit, kernel, width, operation)) strict;
