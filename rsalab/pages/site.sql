-- What the site asks.

-- chart
-- What the chart of the front page shows, as JSON; a point leads to its step in the explorer where
-- there is one (`?1`), or else in the report.
with here as (
  select * from ladder where (study, "case") = ('iterations', 'roundtrip-full')),
numbers (place, metric, unit, level, rung, number) as (
  select 1, 'instructions', ' a round trip', level, rung, instructions from here
  union all select 2, 'loads', ' a round trip', level, rung, loads from here
  union all select 3, 'stores', ' a round trip', level, rung, stores from here
  union all select 4, 'branches', ' a round trip', level, rung, branches from here
  union all select 5, 'multiplies', ' a round trip', level, rung, multiplies from here
  union all select 6, 'code bytes', '', level, rung, code_bytes from here),
by_level as (
  select place, metric, unit, level, json_group_object(rung, number) as numbers
    from numbers where number is not null group by place, metric, unit, level),
by_metric as (
  select metric, unit, json_group_object(level, json(numbers)) as numbers
    from by_level group by place, metric, unit),
rungs as (
  select json_object(
           'name', rung, 'idea', idea, 'parent', nullif(parent, ''),
           'assembly', json(iif(code = 'assembly', 'true', 'false')),
           'href', case when not ?1 then 'report.html#' || rung
                        when parent = '' then 'explorer.html#b=' || rung || '&level=LEVEL'
                        else 'explorer.html#a=' || parent || '&b=' || rung || '&level=LEVEL' end) as rung
    from here group by place, rung)
select json_object(
  'rungs', (select json_group_array(json(rung)) from rungs),
  'levels', (select json_group_array(level) from (select distinct level from here order by level)),
  'counts', json_group_object(metric, json(numbers)), 'unit', json_group_object(metric, unit))
  from by_metric;
