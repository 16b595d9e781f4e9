-- What the explorer asks.

-- counted
-- The counts of each address of a cell, with those of the whole round trip.
select offset, file, line, function, class, taken, lines.instructions, lines.n,
       whole.value as total
  from counted_lines as lines join counted as whole using (study, snapshot, level, workload)
  where (study, snapshot, level) = (?, ?, ?)
    and (workload, metric, symbol) = ('roundtrip-full', 'instructions', 'total');

-- functions
-- The instructions of each function of a cell in all its round trips, the run-time's included.
select symbol, value
  from counted
  where (study, snapshot, level) = (?, ?, ?)
    and (workload, metric) = ('roundtrip-full', 'instructions')
    and symbol not in ('total', 'snapshot');
