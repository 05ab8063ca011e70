"""The language server: misspellings and their fixes in any editor that supports LSP."""

import os
import sys
from contextlib import redirect_stdout

from respell.types import Error


def serve() -> None:
    """Run the language server on standard input and output until the editor ends it."""
    try:
        from respell.lsp.server import build
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        raise Error(
            f"the language server needs {missing}: pip install '.[lsp]' in a checkout"
        ) from error
    server = build()
    # Output of other code would corrupt the messages, so it goes to standard error.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out, redirect_stdout(sys.stderr):
        try:
            server.start_io(stdout=out)
        finally:
            server.stop()
    if server.exited_without_shutdown:
        sys.exit(1)  # required by the protocol
