-- What `make verify DO=traces` prints of traces.csv.

-- leaks
select study || '/' || snapshot as snapshot, compiler,
       coalesce(group_concat('-' || level, ' ') filter (where function = 'mont_mul' and traces > 1),
                'no') as "mont_mul depends on operands",
       coalesce(group_concat('-' || level, ' ') filter (where function = 'mod_exp' and traces > 1),
                'no') as "mod_exp depends on operands"
  from traces group by study, snapshot, compiler order by min(rowid);
