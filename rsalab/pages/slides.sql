-- The tables of the slides.

-- gains
select '-' || level as level, whole(instructions) as instructions, factor(gain) as "{parent}/this",
       scores.verdict, said as predicted, word as prediction
  from ladder left join scores using (study, rung, level)
  where (study, rung, "case") = ('iterations', :snapshot, 'roundtrip-full')
    and instructions is not null
  order by level;

-- ladder
select rung, idea, level as "*", factor(versus_base) as "{first}/this"
  from ladder where (study, "case") = ('iterations', 'roundtrip-full') and instructions is not null
  order by place, level;
