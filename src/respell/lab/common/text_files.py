"""Read text files, which may be compressed."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from respell.types import Error


def read_lines(path: Path) -> Iterator[str]:
    """Lines of a UTF-8 file without line ends; .xz, .bz2, .gz and .zst are decompressed."""
    number = 0
    damage: tuple[type[Exception], ...] = ()
    try:
        stream, damage = _open(path)
        with closing(stream):
            for number, line in enumerate(stream, 1):
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                yield line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise Error(f"{path}:{number}: not UTF-8 (byte {error.start} of the line)") from error
    except damage as error:
        raise Error(f"{path}: damaged after line {number} ({error})") from error
    except OSError as error:
        raise Error(f"{path}: cannot be read ({error.strerror or error})") from error


def _open(path: Path) -> tuple[BinaryIO | io.BufferedIOBase, tuple[type[Exception], ...]]:
    """The decompressed stream of a file, and the exceptions that mean the file is damaged."""
    match path.suffix:
        case ".xz":
            return lzma.open(path), (lzma.LZMAError, EOFError)
        case ".bz2":
            return bz2.open(path), (EOFError,)
        case ".gz":
            return gzip.GzipFile(path), (gzip.BadGzipFile, zlib.error, EOFError)
        case ".zst":
            return _open_zst(path)
        case _:
            return path.open("rb"), ()


def _open_zst(path: Path) -> tuple[BinaryIO | io.BufferedIOBase, tuple[type[Exception], ...]]:
    try:
        import zstandard
    except ImportError as error:
        raise Error(f"{path}: reading .zst needs zstandard; run: pip install '.[lab]'") from error
    # Parallel compressors and `cat` write several frames into one file.
    reader = zstandard.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True)
    return io.BufferedReader(reader), (zstandard.ZstdError,)
