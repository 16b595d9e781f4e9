-- What the explorer asks.

-- counted
-- The counts of each address of a cell, with those of the whole round trip.
select offset, file, line, lines.instructions, lines.n, whole.value as total
  from counted_lines as lines join counted as whole using (study, snapshot, level, workload)
  where (study, snapshot, level) = (?, ?, ?)
    and (workload, metric, symbol) = ('roundtrip-full', 'instructions', 'total');
