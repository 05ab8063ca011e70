"""The language server: misspellings and their fixes in any editor that speaks LSP."""

from respell.types import Error


def serve() -> None:
    """Speak the Language Server Protocol on standard input and output until told to stop."""
    try:
        from respell.lsp.server import build
    except ImportError as error:
        # Other faces work without it, so pygls is an extra.
        raise Error(f"no module {error.name!r}: pip install 'respell[lsp]'") from error
    build().start_io()
