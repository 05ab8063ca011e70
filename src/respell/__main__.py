"""Lets `python -m respell` do what `respell` does."""

import sys

from respell.cli import main

if __name__ == "__main__":
    sys.exit(main())
