-- What stands beside the words of words.md, each question below its name there.  `:source` is the
-- source.

-- errata
select iif(:source = '', source, null) as source, file || ': ' || place as "where", published,
       '`' || arithmetic || '` = ' || gives || ifnull(' ' || unit, '') as "what follows", why
  from errata where :source in (source, '');

-- claims
select claim as "the text says", section, value || ifnull(' ' || unit, '') as number,
       '`' || arithmetic || '` = ' || gives as "from its tables"
  from claims where source = :source;

-- lessons
select '- ' || iif(:source = '', '**' || source || '.** ', '')
         || replace(replace(sentence, '{}', group_concat(said, ', ')),
                    '{percent}', format('%.2f', 100 * gain)) as ""
  from (select lessons.rowid as place, lessons.*, gain,
               factor(gain) || iif(lessons.level is null, ' at -' || gains.level, '') as said
          from lessons join gains on (slow, fast) = (above, below)
            and gains.level = ifnull(lessons.level, gains.level)
          where :source in (source, '') order by gains.level)
  group by place order by place;

-- table_1
select iteration, description, seconds as "time, s", percent_increase as "% increase",
       asm_lines as "lines of assembly",
       factor(first_value(1.0 * seconds) over (order by rowid) / seconds) as "0/this"
  from bishop_austin_2021_table_1;

-- reasons
select '- **Row ' || iteration || ': '
         || iif(counterpart = 'rung', 'rung ' || ours, counterpart) || '.** ' || reason as ""
  from bishop_austin_2021_map;

-- steps
with theirs as (
    select iteration, seconds, lag(seconds) over (order by rowid) / seconds as step
      from bishop_austin_2021_table_1),
  pairs as (
    select iteration, counterpart, against as slow, value as fast,
           ifnull(substr(against, instr(against, '/') + 1) || ' to ', '')
             || substr(value, instr(value, '/') + 1) as said
      from bishop_austin_2021_map
      left join json_each('["' || replace(ours, ' ', '", "') || '"]'))
select iteration, factor(step) as "their step, time",
       ifnull(group_concat(said, ', '), counterpart) as "our step", level as "*",
       group_concat(ifnull((select factor(gain) from gains
                              where (gains.slow, gains.fast, gains.level)
                                  = (pairs.slow, pairs.fast, levels.level)), '-'), ', ')
         as instructions
  from theirs join pairs using (iteration) join (select distinct level from cells) as levels
  group by iteration, level order by cast(iteration as integer);

-- figures
select * from bishop_austin_2021_figures_6_8;

-- unit
select * from bishop_austin_2021_hardware_unit;

-- perf
with programs as (select distinct place, snapshot, level from dirk),
  terms (label, words, metric) as (values
    ('runtime (ms)', 'ms, median', 'median_ms'),
    ('instructions', '', 'instructions'),
    ('branches', 'branches taken', 'branches_taken'),
    ('cache references', 'load accesses + store accesses', 'load_accesses'),
    ('cache references', 'load accesses + store accesses', 'store_accesses'),
    ('cycles', 'cycles, ARM1176 model', 'model_cycles_arm1176')),
  span as (select min(low) as low, max(high) as high from errors where model = 'arm1176'),
  counted as (
    select label, words, programs.place, sum(mean) as number
      from terms join known using (metric) join programs using (snapshot, level)
      where study = 'width-64' and (label <> 'cycles' or (select low from span) is not null)
      group by label, words, programs.place),
  ours (rank, label, words, place, number, low, high) as (
    select 1, label, label || ', perf, user space', programs.place, number, null, null
      from perf_table join programs using (snapshot, level) where study = 'width-64'
    union all
    select 2, label, words, place, number, iif(label = 'cycles', span.low, null),
           iif(label = 'cycles', span.high, null) from counted join span
    union all
    select 2, 'instructions / cycle', 'by the ARM1176 model', place, top.number / base.number,
           1 / (1 + span.high) - 1, 1 / (1 + span.low) - 1
      from counted as top join counted as base using (place) join span
      where (top.label, base.label) = ('instructions', 'cycles')),
  best as (
    select *, min(rank) over (partition by label) as best from ours where number is not null),
  lines as (
    select line, label as what, 'Dirk' as whose, place,
           iif(is_rate, printed, digits(number)) as cell, 'published' as status
      from dirk
    union all
    select line, ifnull(words, ''), 'ours', best.place, digits(best.number),
           case when low is not null then 'modelled, error ' || percent(low, high)
                when words is not null then 'measured'
                     || iif(count(*) over (partition by label) < 5,
                            '; not measured in these results', '')
                when exists (select 1 from known where study = 'width-64')
                  then 'not available here'
                else 'not measured in these results' end
      from (select distinct line, label from dirk)
      left join (select * from best where rank = best) as best using (label))
select what as "a round trip", whose,
       max(cell) filter (where place = 1) as "no-opt C: v0 -O0",
       max(cell) filter (where place = 2) as "optimized C: v1 -O0",
       max(cell) filter (where place = 3) as "optimized asm: v2 -O0",
       max(cell) filter (where place = 4) as "O3 no-opt C: v0 -O3",
       max(cell) filter (where place = 5) as "O3 optimized C: v1 -O3", status
  from lines group by line, whose order by line, whose;

-- listings
with pairs (listing, rung) as (values ('7', 'v1'), ('8', 'v2'))
select 'Listing ' || listing || ': ' || code as code, his.instructions as "his instructions",
       rung || ' -O0' as "our rung",
       digits(ours.instructions / 64) as "instructions of mont_mul / 64 rounds",
       iif(ours.instructions is null, 'not measured in these results', 'measured')
         as "status of ours"
  from dirk_2019_listings as his join pairs using (listing)
  left join cells as ours on (study, snapshot, level, workload)
                           = ('width-64', rung, 'O0', 'mont_mul');

-- ticks
select snapshot as version, iif(level = 'O0', optimisation, '') as optimisation, '-' || level as level,
       ticks as "his ticks",
       factor(first_value(1.0 * ticks) over steps / ticks) as "v0/this",
       whole(instructions) as "our instructions",
       factor(first_value(instructions) over steps / instructions) as "v0/this",
       iif(instructions is null, 'not measured in these results', 'measured') as "status of ours"
  from lee window steps as (partition by level order by place) order by place, level;

-- calls
with pairs (place, his, own) as (values
    (1, 'modular_exponentiation_mont_32x3', 'mod_exp'),
    (2, 'modular_multiplication_32x3', 'mmm'),
    (3, 'rshift_uint32x3', 'rshift'),
    (3, 'rshift_uint32x3', 'rshift1'),
    (3, 'rshift_uint32x3', 'rshift32'),
    (4, 'add_uint32x3', 'add'),
    (5, 'sub_uint32x3', 'sub')),
  rungs (output, snapshot) as (values ('1', 'v0'), ('2', 'v2')),
  printed as (
    select output, name as his, 1.0 * called as called,
           max(1.0 * called) filter (where name like 'modular_exp%') over (partition by output)
             as powers
      from lee_2021_gprof where role = 'function'),
  counted as (select * from trip_calls where (study, level) = ('width-96', 'O1')),
  lines as (
    select output, place, his, rungs.snapshot, rungs.snapshot in (select counted.snapshot from counted) as known,
           round(2 * max(called) / max(powers), 1) as theirs,
           group_concat(callee, ', ') as own, sum(calls) as made
      from rungs join pairs
      left join printed using (output, his)
      left join counted on (counted.snapshot, callee) = (rungs.snapshot, own)
      group by output, place)
select output, his as "his function", ifnull(theirs, 'inlined') as "calls a round trip",
       snapshot || ': ' || ifnull(own, iif(known, 'inlined', '-')) as ours,
       digits(iif(known, ifnull(made, 0), null)) as "calls a round trip",
       iif(known, 'measured', 'not measured in these results') as "status of ours"
  from lines order by output, place;

-- clocks
select count(*) as "" from markovic_table_5;

-- standard
select distinct round(standard_ms / cycle_ns, 1) as "" from markovic_table_5;

-- optimised
select distinct round(optimized_crt_ms / cycle_ns, 1) as "" from markovic_table_5;
