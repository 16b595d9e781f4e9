-- Long numbers (studies/width-1024): numbers of instructions are exact; cycles of the C54x are
-- those of Markovic, Unkasevic and Djordjevic.

-- products
select bits,
       max(said) filter (where (operation, way) = ('product', 'levels-0')) as "product Stand.",
       max(said) filter (where (operation, way) = ('product', 'levels-1')) as "product 1Lr",
       max(said) filter (where (operation, way) = ('product', 'levels-2')) as "product 2Lr",
       max(said) filter (where (operation, way) = ('product', 'levels-3')) as "product 3Lr",
       max(said) filter (where (operation, way) = ('product', 'levels-4')) as "product 4Lr",
       max(said) filter (where (operation, way) = ('square', 'levels-0')) as "square Stand.",
       max(said) filter (where (operation, way) = ('square', 'levels-1')) as "square 1Lr",
       max(said) filter (where (operation, way) = ('square', 'levels-2')) as "square 2Lr",
       max(said) filter (where (operation, way) = ('square', 'levels-3')) as "square 3Lr",
       max(said) filter (where (operation, way) = ('square', 'levels-4')) as "square 4Lr"
  from (select *, whole(instructions) as said from long
          where (implementation, level, operands) = (:program, 'O3', :operands)
            and operation in ('product', 'square'))
  group by bits order by bits;

-- published_products
select a as bits, whole(product_standard + 0) as "product Stand.",
       whole(product_1 + 0) as "product 1Lr", whole(product_2 + 0) as "product 2Lr",
       whole(product_3 + 0) as "product 3Lr", whole(product_4 + 0) as "product 4Lr",
       whole(square_standard + 0) as "square Stand.",
       whole(square_1 + 0) as "square 1Lr", whole(square_2 + 0) as "square 2Lr",
       whole(square_3 + 0) as "square 3Lr", whole(square_4 + 0) as "square 4Lr"
  from markovic where operands = :operands;

-- crossovers
select program, product, square
  from (select implementation || ' -' || level as program, implementation, level,
               coalesce(max(bits || ' bits') filter (where operation = 'product'),
                        'none to 2048 bits') as product,
               coalesce(max(bits || ' bits') filter (where operation = 'square'),
                        'none to 2048 bits') as square
          from (select distinct implementation, level from long)
          left join crossovers using (implementation, level)
          group by implementation, level
        union all select 'C54x (source)', '~', '', '512 bits', '1024 bits'
          where exists (select 1 from long))
  order by implementation, level desc;

-- private
select name as multiplication,
       whole(max(standard) filter (where program = 'assembly -O3')) as standard,
       whole(max(crt) filter (where program = 'assembly -O3')) as CRT,
       factor(max(1.0 * standard / crt) filter (where program = 'assembly -O3')) as "standard/CRT",
       whole(max(standard) filter (where program = 'C54x')) as "C54x standard",
       whole(max(crt) filter (where program = 'C54x')) as "C54x CRT",
       factor(max(1.0 * standard / crt) filter (where program = 'C54x')) as "C54x standard/CRT"
  from privates group by place order by place;

-- savings
with techniques (place, technique, without, within) as (values
    (1, 'squares, standard', 'standard-product', 'standard-square'),
    (2, 'squares, CRT', 'crt-product', 'crt-square'),
    (3, 'Karatsuba''s method, standard', 'standard-square', 'standard-karatsuba'),
    (4, 'Karatsuba''s method, CRT', 'crt-square', 'crt-karatsuba'),
    (5, 'constant time, standard', 'standard-square', 'standard-constant-time'),
    (6, 'constant time, CRT', 'crt-square', 'crt-constant-time'),
    (7, 'CRT, product', 'standard-product', 'crt-product'),
    (8, 'CRT, square', 'standard-square', 'crt-square'),
    (9, 'CRT, karatsuba', 'standard-karatsuba', 'crt-karatsuba')),
numbers as (
  select program, 'standard-' || way as way, standard as number from privates
  union all select program, 'crt-' || way, crt from privates),
gains as (
  select technique, slow.program,
         factor(1.0 * slow.number / fast.number) || ' ' || verdict(fast.number, slow.number) as said
    from techniques join numbers as slow on slow.way = without
    join numbers as fast on (fast.way, fast.program) = (within, slow.program))
select technique,
       max(said) filter (where program = 'C54x') as C54x,
       max(said) filter (where program = 'assembly -O3') as "assembly -O3",
       max(said) filter (where program = 'plain -O3') as "plain -O3"
  from techniques join gains using (technique)
  where exists (select 1 from long)
  group by technique order by place;

-- milliseconds
with cores (place, core, mhz) as (values
    (1, 'Pi Zero: ARM1176 at 1 GHz', 1000), (2, 'Pi 1: ARM1176 at 700 MHz', 700)),
programs (implementation, code) as (values ('assembly', 'assembly'), ('plain', 'compiled C')),
totals as (
  select implementation, code, way, sum(value * cycles) as total
    from operations join arm1176 using (metric) join programs using (implementation)
    where (level, operation, bits) = ('O3', 'private', 1024)
    group by implementation, code, way)
select core, implementation || ' -O3' as program,
       max(format('%.2f', total / 1000.0 / mhz)) filter (where way = 'standard-product')
         as "standard, product only: ms",
       max(format('%.2f', total / 1000.0 / mhz)) filter (where way = 'crt-square')
         as "CRT with squares: ms",
       max(format('%.2f', total / 1000.0 / mhz)) filter (where way = 'crt-constant-time')
         as "the same in constant time: ms",
       'OpenSSL''s ' || code as "model compared on a Pi Zero with", percent(low, high) as error
  from cores join totals join errors using (code)
  where model = 'arm1176'
  group by place, code order by place, code;

-- summary
select bits, whole(product) as product, whole(square) as square,
       whole(power) as "power, exponent of full width",
       whole(constant_power) as "power, constant time",
       whole(private) as "RSA private by CRT",
       whole(constant_private) as "RSA private, constant time"
  from needs where (implementation, level) = ('assembly', 'O3') order by bits;
