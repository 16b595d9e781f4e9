"""The second counter: functions of a program called one by one in Unicorn."""
