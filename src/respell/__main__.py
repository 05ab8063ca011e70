"""Lets `python -m respell` do the same as `respell`."""

import sys

from respell.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
