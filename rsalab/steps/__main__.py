"""The commands that print what results say, as make calls them: `python3 -m rsalab.steps COMMAND
--help`."""

import sys

from records.commands import building

COMMANDS = {
    "table": "commands.of_ladder",
    "times": "commands.of_times",
    "perf": "commands.of_counters",
    "compare": "commands.of_folders",
    "models": "commands.of_models",
    "why": "commands.of_step",
    "predict": "commands.of_reader",
    "scoreboard": "commands.of_predictions",
    "diff": "diff.show",
    "sizes": "commands.of_sizes",
    "new-iteration": "commands.start",
}

if __name__ == "__main__":
    sys.exit(building("rsalab.steps", COMMANDS))
