"""Open the port and serve, in this process or in several."""

import argparse
import json
import os
import socket
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from respell.config import Settings
from respell.model.bundle import Bundle, default_path
from respell.server.app import create_app
from respell.server.options import ServerOptions
from respell.types import Error

_ENVIRONMENT = "RESPELL_SERVE"
_BACKLOG = 2048
_PATIENCE = 60  # seconds


def start(options: argparse.Namespace, settings: Settings) -> None:
    """Serve as the command line and the configuration say."""
    serve(
        ServerOptions(
            host=options.host,
            port=options.port,
            workers=options.workers,
            model=settings.model,
            preset=settings.preset,
            threshold=settings.threshold,
            dictionary=tuple(settings.words()),
            max_body=options.max_body,
            timeout=options.timeout,
            cors=tuple(options.cors),
        )
    )


def serve(options: ServerOptions) -> None:
    """Serve until interrupted; what was accepted is finished first."""
    listener = _listen(options.host, options.port)
    port = listener.getsockname()[1]
    common: dict[str, Any] = {
        "log_level": "error",
        "access_log": False,  # the address of a request may hold the text
        "server_header": False,
        "timeout_graceful_shutdown": int(options.timeout) + 5,
    }
    host = f"[{options.host}]" if ":" in options.host else options.host
    if options.workers == 1:
        app = create_app(options)
        _tell(f"serving on http://{host}:{port}")
        uvicorn.Server(uvicorn.Config(app, **common)).run(sockets=[listener])
        return
    listener.close()  # the processes open it again, by themselves
    Bundle.read(options.model or default_path()).preset(options.preset)  # a mistake is told here
    factory = f"{__name__}:{from_environment.__name__}"
    common |= {"host": options.host, "port": port, "workers": options.workers}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "options.json")  # the environment has no room for a large dictionary
        file.write_text(json.dumps(asdict(options), default=str), encoding="utf-8")
        os.environ[_ENVIRONMENT] = str(file)
        _tell(f"serving on http://{host}:{port} with {options.workers} processes")
        # A process that loads its model on a busy machine is not a dead one.
        uvicorn.run(factory, factory=True, timeout_worker_healthcheck=_PATIENCE, **common)


def _tell(message: str) -> None:
    sys.stderr.write(f"respell: {message}\n")
    sys.stderr.flush()


def from_environment() -> FastAPI:
    """Build the application in a worker process; its environment names the file with options."""
    values = json.loads(Path(os.environ[_ENVIRONMENT]).read_text(encoding="utf-8"))
    values["model"] = Path(values["model"]) if values["model"] else None
    for name in ("dictionary", "cors"):
        values[name] = tuple(values[name])
    return create_app(ServerOptions(**values))


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (socket.gaierror, UnicodeError) as error:
        raise Error(f"cannot listen on {host}: there is no such --host") from error
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Error(f"cannot listen on {host}:{port}: {reason}; choose another --port") from error
