-- The tables and sentences of the report, the front page and the READMEs, each the text in the place of
-- its name.  `:study` and `:snapshot` say what a text is about, `:parent` and `:first` are the rung that
-- it is made from and the first of the ladder.  A name in braces in the head of a column is the value.
-- One column without a name is text: each row a line; NULL where there is nothing to say.

-- --- the ladder ----------------------------------------------------------------------------------

-- levels
select group_concat('-' || level, ', ') as ""
  from (select distinct level from cells where study = 'iterations' order by level);

-- rungs
select count(distinct snapshot) as "" from counts where study = 'iterations';

-- times
select iif(exists (select 1 from medians where study = 'iterations'),
           'Times are noisy: medians of `clock_gettime` over the round trips, on the board itself.',
           'There are no times here: the programs ran under emulation, whose time means nothing.') as "";

-- no_times
select iif(exists (select 1 from medians where study = 'iterations'), null,
           '- **No time was measured.** The programs ran under emulation. No number here is in seconds.')
         as "";

-- answers
with pairs (place, what, slow, fast) as (values
    (1, 'The whole ladder', :first, :last),
    (2, 'Arithmetic: words instead of bits, both in C', 'v6', 'v7'),
    (3, 'Assembly by hand instead of C, both with bits', 'v6', 'alone/bit-serial-assembly'),
    (4, 'Arithmetic against assembly: words in C instead of bits in assembly',
        'alone/bit-serial-assembly', 'v7'),
    (5, 'Best C against assembly, both with words', 'v7', 'v8'),
    (6, 'One product instead of four, both in C', 'v5', 'v6'))
select what, replace(slow || ' / ' || fast, 'alone/', '') as programs,
       at.level as "*", factor(above.instructions / own.instructions) as ""
  from pairs join (select distinct level from cells where study = 'iterations') as at
  left join programs as above on (above.program, above.level) = (slow, at.level)
  left join programs as own on (own.program, own.level) = (fast, at.level)
  order by place, at.level;

-- best
-- The best C and the best assembly, each at its best level; what assembly by hand is worth, and
-- arithmetic at the level that is best for C.
with best as (
    select code, snapshot || ' at -' || level as name, level, instructions,
           row_number() over (partition by code order by instructions, place desc) as rank
      from ladder where (study, workload) = ('iterations', 'roundtrip-full')),
  c as (select * from best where (rank, code) = (1, 'compiled C')),
  assembly as (select * from best where (rank, code) = (1, 'assembly'))
select ifnull(c.name, '-') as best_c, ifnull(whole(c.instructions), '-') as c_count,
       ifnull(assembly.name, '-') as best_assembly,
       ifnull(whole(assembly.instructions), '-') as assembly_count,
       ifnull(factor(c.instructions / assembly.instructions), '-') as by_hand,
       ifnull(factor(bits.instructions / words.instructions), '-') as by_words,
       ifnull('-' || c.level, '-') as best_level
  from (select 1) left join c left join assembly
  left join programs as bits on (bits.program, bits.level) = ('v6', c.level)
  left join programs as words on (words.program, words.level) = ('v7', c.level);

-- helped
with steps as (
    select snapshot, idea, group_concat(level || ' ' || verdict, ', ') as verdicts,
           min(verdict = 'helps') as all_help
      from scores where study = 'iterations' group by snapshot order by place)
select ifnull(sum(all_help), 0) || ' of ' || count(*) || ' steps help at every level'
         || ifnull('; the others are ' || group_concat(snapshot || ', ' || idea || ' (' || verdicts || ')',
                                                       '; ') filter (where not all_help), '') as ""
  from steps;

-- overview
select '[' || snapshot || '](/iterations/' || snapshot || '/README.md)' as rung, idea, level as "*",
       whole(instructions) as "", factor(versus_base) as "{first}/this"
  from ladder
  where (study, workload) = ('iterations', 'roundtrip-full') and instructions is not null
  order by place, level;

-- verdicts
select parent || ' to ' || snapshot as step, idea, level as "*", verdict || ' ' || factor(gain) as ""
  from scores where study = 'iterations';

-- product_alone
select snapshot as rung, level as "*", whole(instructions) as ""
  from ladder where (study, workload) = ('iterations', 'mont_mul') order by place, level;

-- predictions
select parent || ' to ' || snapshot as step, idea, level as "*",
       said || '; ' || factor(gain) || ': ' || word as ""
  from scores where study = 'iterations';

-- right
select sum(word = 'right') || ' right, ' || sum(word = 'too low') || ' too low, '
         || sum(word = 'too high') || ' too high, ' || sum(word = 'disclosed') || ' disclosed, '
         || sum(word = 'open') || ' open.' as ""
  from scores where study = 'iterations';

-- --- a snapshot ----------------------------------------------------------------------------------

-- verdict
select group_concat(level || ' ' || verdict, ', ') as ""
  from scores where (study, snapshot) = (:study, :snapshot);

-- step
select '-' || level as level, whole(instructions * versus_parent) as "{parent}",
       whole(instructions) as "{snapshot} (this)",
       factor(iif(study = 'iterations' and :parent <> :first, versus_base, null)) as "{first}/this",
       factor(versus_parent) as "{parent}/this", nullif(verdict, '') as verdict
  from ladder
  where (study, snapshot, workload) = (:study, :snapshot, 'roundtrip-full') and instructions is not null
  order by level;

-- foreseen
select 'Predicted: ' || group_concat('-' || level || ' ' || said || ', found ' || factor(gain) || ': '
                                       || word, '; ') || '.' as ""
  from scores where study = :study and snapshot = :snapshot and said is not null;

-- one_product
select 'Instructions of one product alone, a call of `mont_mul` (exact mean'
         || iif(:others <> '[]', '):',
                '; ' || ifnull(nullif(:parent, '') || ' -> ', '') || :snapshot || '): '
                  || group_concat('-' || level || ': '
                                    || ifnull(whole(instructions * versus_parent) || ' -> ', '')
                                    || whole(instructions), '; ') || '.') as ""
  from ladder where (study, snapshot, workload) = (:study, :snapshot, 'mont_mul');

-- product
-- Beside those that the snapshot names, if it names some.
with places (place, study, snapshot) as (
    select 0, parent_study, parent from snapshots where (study, snapshot) = (:study, :snapshot)
    union all
    select 1 + key, substr(value, 1, instr(value, '/') - 1), substr(value, instr(value, '/') + 1)
      from json_each(:others)
    union all select 100, :study, :snapshot)
select snapshot as "", level as "*", whole(instructions) as ""
  from places join cells using (study, snapshot)
  where workload = 'mont_mul' and :others <> '[]' order by place, level;

-- moves
select 'Moves between core registers and registers of the VFP and NEON unit: '
         || group_concat(whole(1.0 * moves / n) || ' at -' || level || ' ('
                           || format('%.1f', 100.0 * moves / instructions) || ' % of all instructions)',
                         ', ')
         || '. A limb that is held in that unit has to move to the core for each use there.' as ""
  from (select level, max(n) as n, sum(instructions) as instructions,
               sum(instructions) filter (where class = 'neon_move') as moves
          from spent where (study, snapshot) = (:study, :snapshot) group by level)
  where moves >= 0.05 * instructions;

-- account
-- Calls times instructions a call, parent above child, of the three functions whose share of all
-- changes at some level is largest, and 5 % at least.
with own as materialized (
    select 0 as side, study, snapshot, level, function, 1.0 * sum(instructions) / max(n) as own
      from spent where (study, snapshot) = (:parent_study, :parent) group by level, function
    union all
    select 1, study, snapshot, level, function, 1.0 * sum(instructions) / max(n)
      from spent where (study, snapshot) = (:study, :snapshot) group by level, function),
  changes as (
    select function, abs(sum(iif(side, own, -own))) as change, level
      from own
      where level in (select level from own group by level having count(distinct side) = 2)
      group by level, function),
  movers as (
    select function, max(share) as share
      from (select function, change / sum(change) over (partition by level) as share from changes)
      group by function order by share desc limit 3)
select '`' || function || '`' as function, own.snapshot as "in", whole(calls) as calls, level as "*",
       iif(calls, 'x ' || figures(own / calls) || ' = ', '') || whole(own) as ""
  from movers join own using (function) left join entered using (study, snapshot, function)
  where share >= 0.05 order by share desc, function, side, level;

-- simulated
select '-' || level as level, simulated.snapshot, whole(instructions) as instructions,
       whole(wrong) as "simulated mispredictions, ARM1176", whole(cycles) as "model cycles, ARM1176"
  from snapshots
  join simulated on (simulated.study, simulated.snapshot) = (snapshots.study, snapshots.snapshot)
    or (simulated.study, simulated.snapshot) = (parent_study, parent)
  where (snapshots.study, snapshots.snapshot) = (:study, :snapshot)
  order by level, simulated.snapshot = :snapshot;

-- slower
-- By the model, whose penalty of 5 cycles may be 4 or 6; and with which one both take as long.
with pairs as (
    select own.level, above.instructions / own.instructions as gain,
           above.cycles as before, own.cycles as after, above.wrong as wrong_before, own.wrong
      from snapshots
      join simulated as own on (own.study, own.snapshot) = (snapshots.study, snapshots.snapshot)
      join simulated as above on (above.study, above.snapshot, above.level)
                               = (parent_study, parent, own.level)
      where (own.study, own.snapshot) = (:study, :snapshot)),
  equal as (
    select *, (after - before) / (wrong_before - wrong) + 5 as penalty from pairs)
select '- -' || level || ': ' || :parent || '/' || :snapshot || ' is ' || factor(gain)
         || ' by instructions and ' || factor(before / after) || ' by model cycles: '
         || iif(before < after, :snapshot, :parent) || ' is slower, '
         || iif((before - wrong_before > after - wrong) = (before + wrong_before > after + wrong),
                'also with a penalty of 4 or 6 cycles',
                'but not at both ends of the published penalty')
         || '. Penalty at which both take as long: ' || ifnull(whole(iif(penalty > 0, penalty, null)), '-')
         || ' cycles.' as ""
  from equal order by level;

-- timed
select '- -' || level || ': ' || :parent || ' ' || format('%.0f', above.median_us) || ' µs, '
         || :snapshot || ' ' || format('%.0f', own.median_us) || ' µs, ' || :parent || '/' || :snapshot
         || ' ' || factor(above.median_us / own.median_us) as ""
  from medians as own join medians as above using (level)
  join snapshots on (snapshots.study, snapshots.snapshot) = (own.study, own.snapshot)
    and (parent_study, parent) = (above.study, above.snapshot)
  where (own.study, own.snapshot) = (:study, :snapshot) order by level;

-- --- the studies ---------------------------------------------------------------------------------

-- of_study
-- The techniques measured alone: those that gain most come first.
select '[' || snapshot || '](/studies/' || study || '/' || snapshot || '/README.md)' as folder,
       idea, nullif(parent, '') as parent, level as "*",
       factor(versus_parent) || ' ' || verdict as ""
  from ladder
  where (study, workload) = (:study, 'roundtrip-full') and instructions is not null
  order by iif(:study = 'alone', -max(iif(level = :sorted_by, versus_parent, 0)) over (partition by snapshot), 0),
           place, level;

-- leaks
-- Every rung, and each other snapshot that has a function without a leak.
with named as (
    select rowid as place, study, snapshot,
           iif(study = 'iterations', '', study || '/') || snapshot as label,
           iif(study = 'iterations', '', 'studies/') || study || '/' || snapshot as folder
      from snapshots),
  functions as (
    select study, snapshot, max(said) filter (where function = 'mont_mul') as mont_mul,
           max(said) filter (where function = 'mod_exp') as mod_exp
      from leaks group by study, snapshot)
select '[' || label || '](/' || folder || '/README.md)' as snapshot,
       ifnull(mont_mul, :missing) as mont_mul, ifnull(mod_exp, :missing) as mod_exp
  from named left join functions using (study, snapshot)
  where exists (select 1 from traces)
    and (study = 'iterations' or mont_mul <> 'leaks' or mod_exp <> 'leaks')
  order by place;

-- --- boards and sources --------------------------------------------------------------------------

-- counters
select snapshot as "", level as "*",
       whole(plugin) || iif(plugin <> unicorn, ' or ' || whole(unicorn), '') as ""
  from agreements;

-- agreed
select 'Instructions of ' || max(n) || ' calls of mont_mul; plugin and Unicorn agree in '
         || sum(plugin = unicorn) || ' of ' || count(*) || ' cells; the kernel counts '
         || (select group_concat(share, ' or ')
               from (select distinct format('%g', 1.0 * (kernel - plugin) / n) as share
                       from agreements order by share))
         || ' more a call, the driver''s.' as ""
  from agreements;

-- sources
select source, section as place, '[' || title || '](/data/published/' || file || ')' as "table"
  from sources_index where source not in ('ours', 'all');
