# What a user may say on the command line, and which targets read it.  One that no target of a command reads would be
# ignored: it is an error instead.  Recipes read it from the environment ("$$B").  The Makefile's head explains the
# first line, which every target may read; SEED is a seed to repeat.
DATA := BUILD COUNTER LEVELS LIMIT MESSAGES Q YES SEED

# Which snapshots: a rung, two, the study that they are of, a level, a text to encrypt, a new rung's parent and name.
takes_V           := annotate debug diff fuzz predict run why
takes_A           := diff duel
takes_B           := board board-% diff duel farm predict why
takes_STUDY       := annotate debug diff duel fuzz new-iteration predict run scoreboard steps why
takes_LEVEL       := annotate debug diff duel run
takes_TEXT        := run
takes_FROM        := new-iteration
takes_NAME        := import labs-variant new-iteration

# What is shown: results folders, a metric, a workload; SPACE=1 white space, CLAIMS=1 with the commits of predictions.
takes_M           := compare contribute models notebooks perf predict report scoreboard site slides valid why
takes_METRIC      := compare
takes_WORKLOAD    := compare
takes_SPACE       := diff
takes_CLAIMS      := scoreboard why

# Exercises: the number of one, a hint, SOLUTION=1; a folder to grade, its marks, the students whose copies get a mark,
# VARIANTS=7 of exercises that `make labs-variant SEED=7` has given, UNSAFE=1 without a sandbox.
takes_L           := lab
takes_HINT        := lab
takes_SOLUTION    := lab
takes_DIR         := grade import
takes_MARK        := grade
takes_COPIES      := grade
takes_VARIANTS    := grade
takes_UNSAFE      := grade

# Boards: an emulated one, a file of hosts, the folders to measure, the command of ssh; FORCE=1 replaces what is there.
takes_BOARD       := board board-%
takes_BOARDS      := farm
takes_FARM        := farm
takes_SSH         := farm
takes_FORCE       := grade import predict

# Tests: which, inputs to fuzz with, keys that the lanes must not show; of test-bare Debian and user.
takes_TESTS       := test test-long test-quick
takes_RUNS        := fuzz fuzz/%
takes_SECRETS     := lanes
takes_SUITE       := test-bare
takes_WHO         := test-bare

# Sources that are here already, podman or docker; ALL=1 synthesises every unit.
takes_OPENSSL_SRC := openssl openssl-% peers
takes_PEERS_SRC   := peers
takes_ENGINE      := container
takes_ALL         := hw-synth

LISTED := $(patsubst takes_%,%,$(filter takes_%,$(.VARIABLES)))
DATA   += $(LISTED)
