-- Long numbers (studies/width-1024): numbers of instructions are exact; cycles of the C54x are
-- those of Markovic, Unkasevic and Djordjevic.

-- products
-- Instructions of Montgomery products and squares of a program, by way of multiplying.
select bits, operation, way, instructions from long
  where (implementation, level, operands) = (:program, 'O3', :operands)
    and operation in ('product', 'square')
  order by bits;

-- crossovers
-- The size in bits from which on Karatsuba's method pays; NULL where it never does.
select implementation, level, max(bits) filter (where operation = 'product') as product,
       max(bits) filter (where operation = 'square') as square
  from (select distinct implementation, level from long)
  left join crossovers using (implementation, level)
  group by implementation, level order by implementation, level desc;

-- cycles
-- Cycles of an ARM1176 by model, of private operations of 1024 bits.
select implementation, way, sum(value * cycles) as cycles
  from long_numbers join arm1176 using (metric)
  where (level, operation, bits) = ('O3', 'private', 1024)
  group by implementation, way;

-- needs
-- What the best program needs at each size.
select * from needs where (implementation, level) = ('assembly', 'O3') order by bits;
