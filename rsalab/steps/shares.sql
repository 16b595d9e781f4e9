-- shares
-- Of the four functions of a snapshot with the largest share of all its instructions: that share by
-- level, and the calls in a round trip.
with own as (
    select level, function, 1.0 * sum(instructions) as own from spent
      where (study, snapshot) = (:study, :snapshot) group by level, function),
  shares as (
    select level, function, own / sum(own) over (partition by level) as share from own),
  largest as (
    select function, max(share) as most from shares group by function order by most desc limit 4)
select function, level, calls, share
  from largest join shares using (function)
    left join (select function, calls from entered where (study, snapshot) = (:study, :snapshot))
      using (function)
  order by most desc, function, level;
