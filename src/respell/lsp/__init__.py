"""The language server: misspellings and their fixes in any editor that speaks LSP."""

import os
import sys
from contextlib import redirect_stdout

from respell.types import Error


def serve() -> None:
    """Speak the Language Server Protocol on standard input and output until told to stop."""
    try:
        from respell.lsp.server import build
    except ModuleNotFoundError as error:
        raise Error("the language server needs pygls: pip install 'respell[lsp]'") from error
    server = build()
    # What anything else prints must not get between the messages, so that goes elsewhere.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out, redirect_stdout(sys.stderr):
        try:
            server.start_io(stdout=out)
        finally:
            server.stop()
    if server.deserted:
        sys.exit(1)  # as the protocol wants it
