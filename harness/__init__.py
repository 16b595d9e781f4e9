"""The part that measures.  It uses records and never imports rsalab."""

import signal
import sys

if (
    sys.argv[0] == "-m"
):  # a command whose imports are not done yet: Ctrl-C ends it without a word
    signal.signal(signal.SIGINT, signal.SIG_DFL)
