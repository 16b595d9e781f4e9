-- bishop
select iteration, description, counterpart, ours,
       1000.0 * seconds as ms, first_value(1.0 * seconds) over (order by his.rowid) / seconds as factor,
       instructions / 1e6 as here
  from bishop_austin_2021_table_1 as his join bishop_austin_2021_map using (iteration)
  left join cells on counterpart = 'rung' and (study, snapshot, level, workload)
                                            = ('iterations', ours, ?, 'roundtrip-full')
  order by his.rowid;

-- dirk
select program, dirk.snapshot, dirk.level, number as there, instructions as here
  from dirk left join cells on (study, cells.snapshot, cells.level, workload)
                             = ('width-64', dirk.snapshot, dirk.level, 'roundtrip-full')
  where label = 'instructions' order by place;

-- markovic
with cycles as (  -- of the least number of levels to the greatest, as far as they are printed
    select place, operands, cast(a as integer) as bits, 'product' as operation,
           product_standard as without, product_1 as one, product_2 as two, product_3 as three,
           product_4 as four
      from markovic
    union all
    select place, operands, cast(a as integer), 'square', square_standard, square_1, square_2,
           square_3, square_4
      from markovic)
select operation, bits, operands,
       1.0 * min(one + 0, ifnull(two, one) + 0, ifnull(three, one) + 0, ifnull(four, one) + 0)
         / without as ratio
  from cycles order by operation, bits, place;

-- openssl
select bits, operation, code, ms, cycles / 1e6 as modelled
  from published_rsa
  left join (select * from rsa where whose = 'record') using (implementation, operation, bits)
  where implementation <> 'ours';
