-- What the explorer asks.

-- counted
-- The counts of each address of a cell, with those of the whole round trip.
select offset, file, line, lines.instructions, lines.n, counts.value as total
  from lines join counts using (study, snapshot, level, workload)
  where (study, snapshot, level) = (?, ?, ?)
    and (workload, metric, symbol) = ('roundtrip-full', 'instructions', 'total');
