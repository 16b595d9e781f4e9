-- What the charts of long numbers and of OpenSSL ask.

-- crossover
-- With some levels of Karatsuba's method over without.
select operation, implementation, bits,
       cast(substr(long.way, 8) as integer) as levels,
       1.0 * long.instructions / plain.instructions as ratio
  from long join long as plain using (implementation, level, operation, bits, operands)
  where (level, operands, plain.way) = ('O3', 'random', 'levels-0')
    and long.way like 'levels-%' and long.way <> 'levels-0'
  order by operation, implementation, bits, levels;

-- pays
select min(bits) as bits from crossovers
  where (implementation, level, operation) = ('assembly', 'O3', 'product');

-- windows
select bits, window,
       max(instructions) filter (where method = 'sliding') as sliding,
       max(instructions) filter (where method = 'fixed') as fixed,
       max(max(instructions) filter (where method = 'binary')) over (partition by bits) as binary,
       max(instructions) filter (where method = 'modelled') as modelled
  from windows where (implementation, level) = ('assembly', 'O3')
  group by bits, window order by bits, window;

-- remainder
select way, standard, crt from privates
  where (implementation, level) = ('assembly', 'O3') order by place;

-- operations
-- Of each operation first our counts, then the times that the source published.
select operation, 'counted' as origin, bits, implementation, label, instructions as value, place
  from rsa join builds using (implementation) where whose = 'here'
union all
select operation, 'published', bits, implementation, label, ms, builds.place
  from published_rsa join builds using (implementation)
  where bits in (select bits from rsa where whose = 'here')
  order by operation, origin, place, bits;

-- signature
-- How many times fewer instructions a signature of about 2048 bits takes with ours.
select bits, 1.0 * theirs.instructions / ours.instructions as ratio
  from rsa as ours join rsa as theirs using (whose, operation, bits)
  where (whose, operation, ours.implementation, theirs.implementation)
      = ('here', 'sign', 'ours', 'assembly')
  order by abs(bits - 2048) limit 1;
