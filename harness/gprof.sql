-- Lines of call graphs in dot's language: which graph, by the name of its text; whether the measured
-- program has a function of this name, whose instructions it then says (NULL of an arc); and the line.
-- Numbers are of a round trip, which is two calls of mod_exp.  Colour and size say what a function
-- executes itself, the thickness of an arc how many digits its number of calls has.
with called as (
  select replace(study || '-', 'iterations-', '') || snapshot || '-' || level as name,
         caller, callee, calls, rowid as place from calls),
trips as (
  select name, ifnull(max(calls) filter (where (caller, callee) = ('<total>', 'mod_exp')) / 2.0, 1)
           as trips from called group by name),
counted as (
  select replace(study || '-', 'iterations-', '') || snapshot || '-' || level as name,
         substr(symbol, 1, instr(symbol || '.', '.') - 1) as callee, sum(1.0 * value / n) as own
    from counts where (metric, workload) = ('instructions', 'roundtrip-full')
      and symbol not in ('total', 'snapshot') group by 1, 2),
shares as (select *, own / sum(own) over (partition by name) as part from counted),
functions as (
  select name, callee, calls / trips as calls, ifnull(part, 0) as share,
         printf('\n%,d (%.0f%%)', round(own), 100 * part) as counted, own is not null as known
    from called join trips using (name) left join shares using (name, callee)
    where caller = '<total>'),
lines as (
  select name, known, callee as place,
         printf(' "%s" [label="%s%s\n%,d×\n", fontsize=%.1f, fillcolor="%.3f %.3f 1"];',
                callee, callee, iif(known, counted, ''), round(calls),
                10 + 10 * share, 0.13 - 0.07 * share, 0.15 + 0.65 * share) as line
    from functions
  union all
  select name, null, place,
         printf(' "%s" -> "%s" [label=" %,d× ", penwidth=%.1f];',
                caller, callee, round(calls / trips), max(0.6, 0.5 * length(calls)))
    from called join trips using (name) where caller not in ('<total>', 'plain_call'))
select name, known, line from lines order by name, known is null, place;
