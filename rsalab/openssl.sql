-- RSA operations of OpenSSL, and the model of an ARM1176 beside the times that the source published.

-- instructions
with counted as (
  select operation, bits,
         max(instructions) filter (where implementation = 'ours') as ours,
         max(instructions) filter (where implementation = 'assembly') as assembly,
         max(instructions) filter (where implementation = 'neon') as neon,
         max(instructions) filter (where implementation = 'c') as c
    from rsa where whose = 'here' group by operation, bits)
select operation, bits, whole(ours) as "bn_mul_mont.S", whole(assembly) as "OpenSSL's own assembly",
       whole(neon) as "OpenSSL's own assembly, with NEON", whole(c) as "OpenSSL's own C",
       factor(1.0 * assembly / ours) as "OpenSSL's own assembly / ours",
       factor(1.0 * neon / ours) as "OpenSSL's own assembly, with NEON / ours",
       factor(1.0 * c / ours) as "OpenSSL's own C / ours"
  from counted order by operation, bits;

-- times
with compared as (
  select place, title, implementation, bits, operation,
         iif(ms < 1000, format('%.3f', ms), whole(ms)) as there,
         iif(cycles < 1e9, format('%.3f', cycles / 1e6), whole(cycles / 1e6)) as modelled,
         factor(ms / cycles * 1e6) as ratio
    from rsa join published_rsa using (implementation, operation, bits) where whose = :whose)
select sign.title as implementation, bits,
       sign.there as "sign, ms", sign.modelled as "by model", sign.ratio as "published / model",
       verify.there as "verify, ms", verify.modelled as "by model",
       verify.ratio as "published / model"
  from compared as sign join compared as verify using (implementation, bits)
  where (sign.operation, verify.operation) = ('sign', 'verify')
    and (implementation = 'ours') = :ours
  order by sign.place, bits;

-- validation
select title as implementation,
       percent(min(cycles / 1e6 / ms - 1) filter (where bits between 2048 and 4096),
               max(cycles / 1e6 / ms - 1) filter (where bits between 2048 and 4096))
         as "error, 2048 to 4096 bits",
       percent(min(cycles / 1e6 / ms - 1), max(cycles / 1e6 / ms - 1)) as "error, all sizes"
  from rsa join published_rsa using (implementation, operation, bits)
  where whose = 'here' and implementation <> 'ours'
  group by title order by place;
