-- What the site asks.

-- chart
-- What the chart of the front page shows, as JSON; a point leads to its step in the explorer where
-- there is one (`?1`), or else in the report.
with here as (
  select * from ladder where (study, workload) = ('iterations', 'roundtrip-full')),
numbers (place, metric, unit, level, snapshot, number) as (
  select 1, 'instructions', ' a round trip', level, snapshot, instructions from here
  union all select 2, 'loads', ' a round trip', level, snapshot, loads from here
  union all select 3, 'stores', ' a round trip', level, snapshot, stores from here
  union all select 4, 'branches', ' a round trip', level, snapshot, branches from here
  union all select 5, 'multiplies', ' a round trip', level, snapshot, multiplies from here
  union all select 6, 'code bytes', '', level, snapshot, code_bytes from here),
by_level as (
  select place, metric, unit, level, json_group_object(snapshot, number) as numbers
    from numbers where number is not null group by place, metric, unit, level),
by_metric as (
  select metric, unit, json_group_object(level, json(numbers)) as numbers
    from by_level group by place, metric, unit),
rungs as (
  select json_object(
           'name', snapshot, 'idea', idea, 'parent', nullif(parent, ''),
           'assembly', json(iif(code = 'assembly', 'true', 'false')),
           'href', case when not ?1 then 'report.html#' || snapshot
                        when parent = '' then 'explorer.html#b=' || snapshot || '&level=LEVEL'
                        else 'explorer.html#a=' || parent || '&b=' || snapshot || '&level=LEVEL' end) as rung
    from here group by place, snapshot)
select json_object(
  'rungs', (select json_group_array(json(rung)) from rungs),
  'levels', (select json_group_array(level) from (select distinct level from here order by level)),
  'counts', json_group_object(metric, json(numbers)), 'unit', json_group_object(metric, unit))
  from by_metric;
