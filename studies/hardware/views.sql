-- Units after synthesis and routing (`make hw-synth`), whatever results are shown.
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

-- Kernels in C at -O3 on the simulated cores, with and without a unit (`make cores`), whatever results
-- are shown; totals of n operations, exact.
create table kernels (
  core text,             -- `picorv32`, `vexriscv`
  unit text,             -- of the processor that the kernel uses, NULL without one
  kernel text,           -- studies/hardware/cores/units/kernels
  width integer,         -- of the numbers, in bits
  operation text,        -- `mont_mul`, or `roundtrip`
  n integer,             -- operations
  instructions integer, cycles integer
);
