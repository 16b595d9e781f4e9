-- The questions of the report, the front page and the READMEs.  `:study` and `:snapshot` name what a
-- text is about; in the name of a column `{parent}` and the like are names, too.  One column without
-- a name is text: each row a line.

-- predictions
select parent || ' to ' || rung as step, idea, level as "*",
       said || '; ' || factor(gain) || ': ' || word as ""
  from scores where study = :study;

-- right
select sum(word = 'right') || ' right, ' || sum(word = 'too low') || ' too low, '
         || sum(word = 'too high') || ' too high, ' || sum(word = 'disclosed') || ' disclosed, '
         || sum(word = 'open') || ' open.' as ""
  from scores where study = :study;

-- foreseen
select 'Predicted: ' || group_concat('-' || level || ' ' || said || ', found ' || factor(gain) || ': '
                                       || word, '; ') || '.' as ""
  from scores where study = :study and rung = :snapshot and said is not null;
