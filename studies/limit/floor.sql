-- cores
select core, cycles as "cycles each", whole(cycles * :floor) as "cycles of the floor", source
  from multiply_accumulate;
