-- bishop
select iteration, description, counterpart, ours,
       1000.0 * seconds as ms, first_value(1.0 * seconds) over (order by his.rowid) / seconds as factor,
       instructions / 1e6 as here
  from bishop_austin_2021_table_1 as his join bishop_austin_2021_map using (iteration)
  left join cells on counterpart = 'rung' and (study, snapshot, level, workload)
                                            = ('iterations', ours, ?, 'roundtrip-full')
  order by his.rowid;
