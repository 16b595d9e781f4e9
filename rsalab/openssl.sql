-- RSA operations of OpenSSL, and the model of an ARM1176 beside the times that the source published.

-- instructions
select operation, bits, implementation, instructions from rsa
  where whose = 'here' order by operation, bits;

-- times
-- Milliseconds as published and by model; `whose` says by whose counts.
select place, implementation, bits, operation, ms, cycles / 1e6 as modelled
  from rsa join published_rsa using (implementation, operation, bits)
  where whose = :whose order by place, bits;
