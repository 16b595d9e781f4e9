-- What the explorer asks.

-- counted
-- The counts of each address, with those of the whole round trip.
select study || '/' || snapshot || '/' || level as cell, offset, file, line, lines.instructions,
       lines.n, counts.value as total
  from lines join counts using (study, snapshot, level, "case")
  where ("case", metric, symbol) = ('roundtrip-full', 'instructions', 'total');
