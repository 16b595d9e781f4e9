"""The part that measures.  It uses records and never imports rsalab."""

import signal
import sys

# A command whose imports are not done yet: Ctrl-C ends it without a word.
if sys.argv[0] == "-m":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
