-- The tables of the slides.

-- gains
select '-' || level as level, whole(instructions) as instructions, factor(gain) as "{parent}/this",
       scores.verdict, said as predicted, word as prediction
  from ladder left join scores using (study, snapshot, level)
  where (study, snapshot, workload) = ('iterations', :snapshot, 'roundtrip-full')
    and instructions is not null
  order by level;

-- ladder
select snapshot as rung, idea, level as "*", factor(versus_base) as "{first}/this"
  from ladder where (study, workload) = ('iterations', 'roundtrip-full') and instructions is not null
  order by place, level;
