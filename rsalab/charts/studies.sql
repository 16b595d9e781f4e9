-- What the charts of long numbers and of OpenSSL ask.

-- crossover
select operation || ', ' || implementation || ' -O3: with / without' as heading, bits,
       iif(long.way = 'levels-1', '1 level', substr(long.way, 8) || ' levels') as line,
       iif(long.instructions <= 1.7 * plain.instructions,
           1.0 * long.instructions / plain.instructions, null) as value
  from long join long as plain using (implementation, level, operation, bits, operands)
  where (level, operands, plain.way) = ('O3', 'random', 'levels-0')
    and long.way like 'levels-%' and long.way <> 'levels-0'
  order by heading, bits, line;

-- pays
select min(bits) as bits from crossovers
  where (implementation, level, operation) = ('assembly', 'O3', 'product');

-- windows
select bits, window,
       max(instructions) filter (where method = 'sliding') as sliding,
       max(instructions) filter (where method = 'fixed') as fixed,
       max(max(instructions) filter (where method = 'binary')) over (partition by bits) as binary,
       max(instructions) filter (where method = 'sliding, model') as "sliding, model"
  from windows where (implementation, level) = ('assembly', 'O3')
  group by bits, window order by bits, window;

-- remainder
select name, standard, crt from privates where program = 'assembly -O3' order by place;

-- operations
select operation || ': instructions' as heading, bits, label as line, instructions as value, place
  from rsa join builds using (implementation) where whose = 'here'
union all
select operation || ': ms on a Pi Zero W, published', bits,
       iif(implementation = 'ours', 'the source''s', label), ms, builds.place
  from published_rsa join builds using (implementation)
  where bits in (select bits from rsa where whose = 'here')
  order by heading, place, bits;

-- signature
-- How many times fewer instructions a signature of about 2048 bits takes with ours.
select bits, 1.0 * theirs.instructions / ours.instructions as ratio
  from rsa as ours join rsa as theirs using (whose, operation, bits)
  where (whose, operation, ours.implementation, theirs.implementation)
      = ('here', 'sign', 'ours', 'assembly')
  order by abs(bits - 2048) limit 1;
