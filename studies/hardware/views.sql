-- Units after synthesis and routing (`make hw-synth`), whatever results are shown.
-- Rows: results/hardware/synthesis.csv.
create table synthesis (
  unit text,            -- of studies/hardware/rtl
  width integer,        -- of the numbers, in bits
  value integer,        -- of the unit's parameter, NULL where it has none
  target text,          -- the FPGA
  luts integer,         -- look-up tables of the unit alone
  registers integer,    -- one bit each
  multipliers integer,  -- blocks of the FPGA that multiply
  clocks integer,       -- of a product, exact
  mhz real,             -- clock rate after routing, the median of the seeds
  mhz_low real,         -- the lowest of the seeds
  mhz_high real,        -- the highest
  seeds integer,        -- that were routed
  ns real,              -- of a product: clocks / clock rate
  tools text          -- and their versions
);

-- Code with published cycles on silicon (studies/hardware/cores/published.csv).
-- Rows: studies/hardware/cores/published.csv.
create table silicon (
  core text,
  function text,
  operation text,  -- what it computes
  n integer,       -- operations
  cycles integer,  -- that were measured
  kind text        -- `fitted`, `assembly` or `whole`
);

-- Loops in C, with and without a unit (studies/hardware/cores/kernels.csv).
-- Rows: studies/hardware/cores/kernels.csv.
create table named_kernels (
  kernel text,
  unit text,       -- NULL without one
  bits text,       -- widths at which it is built
  holds text       -- what the loop does
);

-- Kernels in C at -O3 on the simulated cores, with and without a unit (`make cores`), whatever results
-- are shown; totals of n operations, exact.
create view kernels as
  select
    substr(platform, 6) as core,
    named_kernels.unit,        -- of the processor that the kernel uses, NULL without one
    kernel,                    -- of studies/hardware/cores/kernels.csv
    holds,                     -- what the kernel does
    named_kernels.rowid as place,  -- of the kernel
    cast(word(workload, 2) as integer) as width,  -- of the numbers, in bits
    word(workload, 1) as operation,               -- `mont_mul`, or `roundtrip`
    n,                                            -- operations
    max(value) filter (where metric = 'instructions') as instructions,
    max(value) filter (where metric = 'cycles') as cycles
    from every_core join named_kernels on kernel = snapshot
    where study = 'units'
    group by core, named_kernels.rowid, workload;

-- How far a core's model is from code that was measured on silicon, whatever results are shown.
create view validations as
  select
    silicon.core, function,
    operation,               -- what the function computes
    silicon.kind,            -- `fitted` to it, other `assembly`, or a `whole` program
    cycles as measured,      -- of a call, as published
    value as modelled        -- by the model
    from silicon join every_core on (platform, study, snapshot, metric)
                                  = ('core-' || core, 'published', function, 'cycles')
    order by silicon.rowid;

-- The range of a model's error: modelled / measured - 1.
create view core_errors as
  select
    core,
    min(1.0 * modelled / measured) - 1 as low,   -- the lowest, as a fraction
    max(1.0 * modelled / measured) - 1 as high   -- the highest
    from validations
    group by core;
