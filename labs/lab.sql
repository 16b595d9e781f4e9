-- What programs of exercises execute, what was predicted of them, and what they get.  `program` is
-- start, solution, best, or a student's, by another name; instructions are those of a round trip.

-- schema
create table programs (exercise text, program text, name text, status text, fault text,
                       workload text, plain text);
create table spent (exercise text, program text, level text, function text, instructions real);
create table predicted (exercise text, program text, level text, low real, high real, function text);
create table points (what text, each real);

create view totals as
  select exercise, program, level, sum(instructions) as n from spent
    group by exercise, program, level;

-- How many times the instructions of `below` those of `above` are, at a level and as the geometric
-- mean over the levels that both have.
create view pairs as
  select exercise, level, above.program as above, below.program as below, above.n / below.n as ratio
    from totals as above join totals as below using (exercise, level);
create view ratios as
  select exercise, above, below, exp(avg(ln(ratio))) as ratio, count(*) as levels from pairs
    group by exercise, above, below;

-- A right program that is not half of the way from the start to the solution is slow.  Where the
-- solution costs more than the start, up to 1.2 times its instructions pass.
create view judged as
  select programs.*, way.ratio as way, behind.ratio as behind,
         iif(way.ratio > 1, exp(ln(way.ratio) / 2), 1.2) as allowed
    from programs
    left join ratios as way
      on (way.exercise, way.above, way.below) = (programs.exercise, 'start', 'solution')
    left join ratios as behind
      on (behind.exercise, behind.above, behind.below) = (programs.exercise, program, 'solution');
create view graded as
  select exercise, program, name, status, fault, workload, plain from judged
    where status <> 'right' or behind <= allowed
  union all
  select exercise, program, name, 'slow',
         printf('x%.2f the instructions of the solution; x%.2f or less passes', behind, allowed)
         || iif(way > 1, ' (half of the way from the start)', '') || iif(fault > '', '; ', '') || fault,
         workload, plain
    from judged where status = 'right' and behind > allowed;

-- The function in which the number of instructions changes most from the start; `none` if none does.
create view changes as
  select exercise, program, level, function, abs(sum(n)) as n
    from (select exercise, program, level, function, instructions as n from spent
          union all
          select exercise, totals.program, level, function, -instructions
            from spent join totals using (exercise, level) where spent.program = 'start')
    group by exercise, program, level, function;
create view most_changed as
  select exercise, program, level, iif(n > 0, function, 'none') as function
    from (select *, row_number() over (partition by exercise, program, level
                                       order by n desc, function desc) as place from changes)
    where place = 1;

create view guesses as
  select predicted.*, ratio, most_changed.function as most, ratio between low and high as gain_hit,
         predicted.function = most_changed.function as function_hit
    from predicted
    left join pairs on (pairs.exercise, above, below, pairs.level)
                     = (predicted.exercise, 'start', predicted.program, predicted.level)
    left join most_changed using (exercise, program, level);

-- levels
select '-' || level as level, printf('%,d', round(start)) as start,
       printf('%,d', round(yours)) as yours, printf('%,d', round(solution)) as "{rung}",
       iif(:best = :rung, null, printf('%,d', round(best))) as "{best}",
       printf('x%.2f', start / yours) as "start/yours",
       printf('x%.2f', yours / solution) as "yours/{rung}",
       iif(:best = :rung, null, printf('x%.2f', yours / best)) as "yours/{best}"
  from (select level, max(n) filter (where program = 'start') as start,
               max(n) filter (where program = 'yours') as yours,
               max(n) filter (where program = 'solution') as solution,
               max(n) filter (where program = 'best') as best
          from totals group by level);

-- predictions
select '-' || level as level, printf('x%g to x%g', low, high) as predicted,
       printf('x%.2f', ratio) as measured, iif(gain_hit, 'right', 'no') as "",
       function as "most changes in", most as measured, iif(function_hit, 'right', 'no') as ""
  from guesses order by level;

-- functions
select function, level as "*", printf('%,d -> %,d', round(start), round(yours)) as ""
  from (select function, level,
               coalesce(max(instructions) filter (where program = 'start'), 0) as start,
               coalesce(max(instructions) filter (where program = 'yours'), 0) as yours
          from spent where program in ('start', 'yours') group by function, level)
  order by sum(max(start, yours)) over (partition by function) desc, function;

-- verdict
select status, fault from graded where program = 'yours';

-- grades
with here as (select distinct level from totals),
levels as (
  select exercise, program, max(n) filter (where level = 'O0') as O0,
         max(n) filter (where level = 'O1') as O1, max(n) filter (where level = 'O2') as O2,
         max(n) filter (where level = 'O3') as O3, max(n) filter (where level = 'Os') as Os,
         max(n) filter (where level = 'Og') as Og, max(n) filter (where level = 'Oz') as Oz,
         max(n) filter (where level = 'Ofast') as Ofast
    from (select exercise, program, level, cast(round(n) as integer) as n from totals)
    group by exercise, program
), hits as (
  select exercise, program, count(*) as predicted, total(gain_hit) as gains,
         total(function_hit) as functions
    from guesses group by exercise, program
), whole as (
  select exercise, above, below, printf('%.3f', ratio) as ratio from ratios
    where levels = (select count(*) from here)
), handed_in as (
  select *, iif(status = 'missing' or exercise not in (select exercise from spent), '', 0) as none
    from graded left join levels using (exercise, program) left join hits using (exercise, program)
    where program not in ('start', 'solution', 'best')
)
select name as student, exercise as lab, status,
       (select printf('%g', total(each * case what when status then 1 when 'gain' then gains
                                         when 'function' then functions end)) from points) as mark,
       iif('O0' in here, coalesce(O0, ''), null) as O0,
       iif('O1' in here, coalesce(O1, ''), null) as O1,
       iif('O2' in here, coalesce(O2, ''), null) as O2,
       iif('O3' in here, coalesce(O3, ''), null) as O3,
       iif('Os' in here, coalesce(Os, ''), null) as Os,
       iif('Og' in here, coalesce(Og, ''), null) as Og,
       iif('Oz' in here, coalesce(Oz, ''), null) as Oz,
       iif('Ofast' in here, coalesce(Ofast, ''), null) as Ofast,
       coalesce((select ratio from whole where (whole.exercise, above, below)
                 = (handed_in.exercise, 'start', program)), '') as "start/yours",
       coalesce((select ratio from whole where (whole.exercise, above, below)
                 = (handed_in.exercise, program, 'solution')), '') as "yours/rung",
       coalesce((select ratio from whole where (whole.exercise, above, below)
                 = (handed_in.exercise, program, 'best')), '') as "yours/best",
       coalesce(predicted, none) as predicted, coalesce(cast(gains as integer), none) as gains_hit,
       coalesce(cast(functions as integer), none) as functions_hit,
       coalesce((select group_concat(name, ' ')
                   from (select other.name from programs as other
                           where other.plain = handed_in.plain and other.program <> 'start'
                             and other.exercise = handed_in.exercise
                             and other.program <> handed_in.program
                           group by other.name order by min(other.rowid))), '') as copy_of,
       fault, workload as "case", :seed as seed, :sandbox as sandbox
  from handed_in order by name, exercise;
