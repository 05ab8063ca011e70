"""Open the port and serve, in this process or in several."""

import argparse
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from respell.model.bundle import Bundle, default_path
from respell.options import CorrectorOptions
from respell.server.app import create_app
from respell.server.options import ServerOptions
from respell.types import Error

_OPTIONS_FILE = "RESPELL_SERVE"
_METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus_client reads it
_BACKLOG = 2048
_HEALTH_CHECK_SECONDS = 60  # loading a model on a busy machine takes time


def start(args: argparse.Namespace, corrector: CorrectorOptions) -> None:
    """Serve with the options of the command line."""
    serve(
        ServerOptions(
            host=args.host,
            port=args.port,
            workers=args.workers,
            max_body=args.max_body,
            timeout=args.timeout,
            cors=tuple(args.cors),
            corrector=corrector,
        )
    )


def serve(options: ServerOptions) -> None:
    """Serve until interrupted; requests that were accepted are finished first."""
    listener = _listen(options.host, options.port)
    port = listener.getsockname()[1]
    config: dict[str, Any] = {
        "log_level": "error",
        "access_log": False,  # the URL of a request may contain the text
        "server_header": False,
        "timeout_graceful_shutdown": int(options.timeout) + 5,
    }
    host = f"[{options.host}]" if ":" in options.host else options.host
    url = f"http://{host}:{port}"
    if options.workers == 1:
        app = create_app(options)
        _report(f"serving on {url}")
        uvicorn.Server(uvicorn.Config(app, **config)).run(sockets=[listener])
        return
    listener.close()  # uvicorn opens the port again
    model = Bundle.read(options.corrector.model or default_path())
    model.preset(options.corrector.preset or "default")  # reports a wrong preset now
    config |= {"host": options.host, "port": port, "workers": options.workers}
    with tempfile.TemporaryDirectory() as folder:
        _share(options, Path(folder))
        _report(f"serving on {url} with {options.workers} processes")
        uvicorn.run(
            f"{__name__}:{create_worker_app.__name__}",
            factory=True,
            timeout_worker_healthcheck=_HEALTH_CHECK_SECONDS,
            **config,
        )


def _share(options: ServerOptions, folder: Path) -> None:
    """Set the environment of the workers: a file with the options, a folder for metrics.

    A large dictionary would not fit into the environment itself.
    """
    file, metrics = folder / "options.json", folder / "metrics"
    file.write_text(options.to_json(), encoding="utf-8")
    metrics.mkdir()
    os.environ |= {_OPTIONS_FILE: str(file), _METRICS_FOLDER: str(metrics)}


def create_worker_app() -> FastAPI:
    """Build the application in a worker process."""
    options = ServerOptions.from_json(Path(os.environ[_OPTIONS_FILE]).read_text(encoding="utf-8"))
    return create_app(options, metrics_folder=Path(os.environ[_METRICS_FOLDER]))


def _report(message: str) -> None:
    sys.stderr.write(f"respell: {message}\n")
    sys.stderr.flush()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        # asyncio does not set this for our listener: without it, a request on an open connection
        # waits 40 ms for a delayed acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (socket.gaierror, UnicodeError) as error:
        raise Error(f"cannot listen on {host}: there is no such --host") from error
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Error(f"cannot listen on {host}:{port}: {reason}; choose another --port") from error
    return listener
