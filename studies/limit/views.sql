-- Powers x^e mod n by libraries and by our own programs of any length (`make peers`), whatever results
-- are shown.
-- Rows: studies/limit/peers/peers.csv.
create table peers (
  peer text,               -- the library, or our program
  version text,            -- of the library; of our program, which one
  sha256 text,             -- of what was linked
  way text,                -- `constant` time or `variable` time
  setup text,              -- what depends on n alone is `included` or `excluded`
  bits integer,            -- of x, e and n
  powers integer,          -- that were counted
  instructions integer,    -- of all of them
  multiplies integer     -- 32-bit multiplications among them, NULL where they are not known
);

-- The private operation by the Chinese remainder theorem (`make crt`), whatever results are shown.
-- Rows: studies/limit/crt/counts.csv.
create table private_crt (
  function text,           -- that was counted
  instructions integer   -- of one call
);

-- One power x^e mod n of 128 bits by every program: half a round trip of a rung, at each level; and the
-- libraries, with their set-up excluded where that can be kept.  odd-powers serves two messages a call,
-- and its number is of one of them.
create view powers as
  with rungs as (
    select ladder.study, ladder.snapshot, ladder.level, ladder.place, instructions,
           snapshots.constant_time
      from ladder
      join snapshots using (study, snapshot)
      where ladder.workload = 'roundtrip-full' and ladder.study in ('iterations', 'limit')
        and width = 128 and instructions is not null
        and ladder.snapshot not in ('two-at-once', 'lazy-digits', 'odd-powers')),
  others as (
    select peer, way, setup, instructions, powers, rowid as place,
           case peer when 'odd-powers' then 'rung' when 'width-1024' then 'long'
                     else 'library' end as kind
      from peers as one
      where bits = 128 and peer not in ('v8', 'limit')
        and setup = (select min(setup) from peers as any
                       where (any.peer, any.way, any.bits) = (one.peer, one.way, one.bits)))
  select
    snapshot as program,  -- the rung, or the library
    'rung' as kind,       -- `rung`, `crt`, `long` (studies/width-1024) or `library`
    study, level,         -- of a rung
    iif(constant_time, 'constant', 'variable') as time,  -- `constant` or `variable`; `crt` is constant and knows p and q
    instructions / 2 as instructions,  -- of one power
    place                              -- of the program
    from rungs
  union all
  select 'crt', 'crt', null, null, 'crt', 1.0 * instructions, 600
    from private_crt
  union all
  select peer, kind, null, null, way, 1.0 * instructions / powers,
         iif(kind = 'rung', 500, 1000) + place
    from others
    order by place, level;

-- Two numbers side by side in the lanes of NEON (`make lanes`), whatever results are shown.
-- Rows: studies/width-1024/lanes/counts.csv.
create table pairs (
  step text,               -- of studies/width-1024/lanes
  operation text,          -- `product` or `square` of a pair, or the whole `private` operation
  bits integer,            -- of each number of a pair; of n
  level text,              -- of the C code
  instructions integer   -- of one operation
);

-- The private operation of RSA by the Chinese remainder theorem, at -O3: ours of studies/width-1024, a
-- signature by each build of OpenSSL, and twice a power of half the length by other libraries, which
-- leaves out what is around the powers.
create view private_operations as
  select
    'long' as kind,          -- `long` (studies/width-1024), `openssl` or `library`
    implementation as program,
    iif(way = 'crt-constant-time', 'constant', 'variable') as time,  -- `constant` or `variable`
    bits,                    -- of n
    instructions             -- of one operation; of a library, of two powers
    from long
    where operation = 'private' and level = 'O3'
      and way in ('crt-square', 'crt-constant-time')
  union all
  select 'long', 'lanes', 'constant', bits, instructions
    from pairs where operation = 'private' and level = 'O3'
  union all
  select 'openssl', implementation, 'constant', bits, value
    from openssl_operations where operation = 'sign' and metric = 'instructions'
  union all
  select 'library', peer, way, 2 * bits, 2.0 * min(1.0 * instructions / powers)
    from peers
    where peer not in ('v8', 'limit', 'odd-powers', 'width-1024') and peer not like 'OpenSSL%'
    group by peer, way, bits;
