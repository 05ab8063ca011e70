"""The application: its routes, and how it answers errors."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import FileResponse, PlainTextResponse
from starlette.staticfiles import StaticFiles

from respell import __version__
from respell.model.bundle import Bundle, default_path
from respell.model.session import open_session
from respell.options import CorrectorOptions
from respell.server import languagetool
from respell.server.batching import Batcher, BusyError, Texts, count_characters
from respell.server.limits import Limits
from respell.server.metrics import CONTENT_TYPE, Metrics
from respell.server.offsets import Utf16Offsets
from respell.server.options import ServerOptions
from respell.server.results import explanation_result, text_results, token_results
from respell.server.schemas import (
    CorrectRequest,
    CorrectResponse,
    ErrorOut,
    ExplainRequest,
    ExplainResponse,
    HealthResponse,
    InfoResponse,
)
from respell.types import Error

_STATIC = Path(__file__).parent / "static"
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorOut} for status in (400, 408, 413, 422, 503)
}
_MAX_FIELDS = 100
_FORM = {
    "language": "en, en-US, en-GB, … or auto",
    "text": "the text to check",
    "data": 'JSON: {"annotation": [{"text": "…"}, {"markup": "…", "interpretAs": "…"}]}',
    "enabledRules": languagetool.RULES,
    "disabledRules": languagetool.RULES,
    "enabledCategories": "TYPOS",
    "disabledCategories": "TYPOS",
    "enabledOnly": "true or false",
}


def create_app(options: ServerOptions, *, metrics_folder: Path | None = None) -> FastAPI:
    """Load the model and build the application.

    With several worker processes, `metrics_folder` is where they share their metrics.
    """
    bundle = Bundle.read(options.corrector.model or default_path())
    # Several workers share the cores; a single one may use them all.
    threads = max(1, (os.cpu_count() or 1) // options.workers) if options.workers > 1 else 0
    metrics = Metrics(metrics_folder)
    batcher = Batcher(
        bundle,
        open_session(bundle.model, threads=threads),
        defaults=options.corrector.for_reading(),
        metrics=metrics,
    )
    batcher.corrector(CorrectorOptions())  # reports a wrong preset now

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        batcher.start()
        yield
        await batcher.stop()

    app = FastAPI(
        title="respell",
        version=__version__,
        description="Context-aware English spelling correction.",
        lifespan=lifespan,
        redoc_url=None,
    )
    _add_correction(app, batcher, options.max_text)
    _add_languagetool(app, batcher, options.max_text)
    _add_model_info(app, bundle)
    _add_metrics(app, metrics)
    _add_web_page(app)
    _add_error_handlers(app)
    app.add_middleware(Limits, max_body=options.max_body, timeout=options.timeout, metrics=metrics)
    if options.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=options.cors,
            allow_methods=["GET", "POST"],
            allow_headers=["Content-Type"],
        )
    return app


def _add_correction(app: FastAPI, batcher: Batcher, max_text: int) -> None:
    @app.post("/v1/correct", response_model=CorrectResponse, responses=_ERRORS)
    async def correct(request: CorrectRequest) -> Response:
        """Find and correct the misspellings of texts or of split sentences."""
        texts, sentences = request.texts(), request.sentences()
        size = _check_size(texts or sentences, max_text)
        if request.document:
            found = await batcher.check_document(texts, request.options(), format=request.format)
        else:
            found = await batcher.check(
                texts or sentences, request.options(), format=request.format
            )

        def render() -> bytes:
            if sentences:
                return token_results(sentences, found, request.offsets)
            return text_results(texts, found, request.offsets)

        body = await batcher.offload(size, render)
        return Response(body, media_type="application/json")

    @app.post("/v1/explain", response_model=ExplainResponse, responses=_ERRORS)
    async def explain(request: ExplainRequest) -> Response:
        """Show what the model says about the word at an offset, whether or not it is right."""
        _check_size([request.text], max_text)
        start = request.start
        if request.offsets == "utf16":
            start = Utf16Offsets(request.text).to_code_points(start)
        corrector = batcher.corrector(CorrectorOptions())
        explanation = await batcher.run_model(
            lambda: corrector.explain(request.text, start, max_candidates=request.max_candidates)
        )
        return _json(explanation_result(request.text, explanation, request.offsets))


def _add_languagetool(app: FastAPI, batcher: Batcher, max_text: int) -> None:
    properties = {name: {"type": "string", "description": d} for name, d in _FORM.items()}
    schema = {"type": "object", "required": ["language"], "properties": properties}
    content = {"application/x-www-form-urlencoded": {"schema": schema}}
    extra = {"requestBody": {"required": True, "content": content}}

    async def check(request: Request) -> Response:
        """Check a text; compatible with LanguageTool."""
        try:
            asked = languagetool.parse(await _form(request))
        except Error as error:
            return PlainTextResponse(f"Error: {error}", HTTPStatus.BAD_REQUEST)
        size = _check_size([asked.original], max_text) + _check_size([asked.plain], max_text)
        (found,) = await batcher.check([asked.plain], CorrectorOptions())
        body = await batcher.offload(size, lambda: languagetool.response(asked, found))
        return Response(body, media_type="application/json")

    refusal: dict[str, Any] = {"description": "Bad Request", "content": {"text/plain": {}}}
    app.get("/v2/check", include_in_schema=False)(check)
    app.post("/v2/check", openapi_extra=extra, responses={**_ERRORS, 400: refusal})(check)

    @app.get("/v2/languages")
    async def languages() -> list[dict[str, str]]:
        """The languages that /v2/check accepts: varieties of English."""
        return languagetool.languages()


def _add_model_info(app: FastAPI, bundle: Bundle) -> None:
    config, sha256 = bundle.config, bundle.sha256

    @app.get("/v1/info")
    async def info() -> InfoResponse:
        """The model and the version of the package."""
        return InfoResponse.model_validate(
            {
                "name": config.name,
                "edition": config.edition,
                "sha256": sha256,
                "presets": {name: asdict(preset) for name, preset in config.presets.items()},
                "lexicon": len(bundle.lexicon),
                "spacing": config.spacing,
                "version": __version__,
            }
        )

    @app.head("/healthz", include_in_schema=False)
    @app.get("/healthz")
    async def health() -> HealthResponse:
        """Whether the server is running, and with which model."""
        return HealthResponse(
            status="ok",
            version=__version__,
            model=config.name,
            edition=config.edition,
            sha256=sha256,
        )


def _add_metrics(app: FastAPI, metrics: Metrics) -> None:
    @app.get("/metrics", include_in_schema=False)
    def prometheus() -> Response:  # not async, because it may read files
        return Response(metrics.render(), media_type=CONTENT_TYPE)


def _add_web_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        if not (_STATIC / "index.html").is_file():
            raise HTTPException(HTTPStatus.NOT_FOUND, "the web page is not installed; see /docs")
        return FileResponse(_STATIC / "index.html")

    app.mount("/static", StaticFiles(directory=_STATIC, check_dir=False), name="static")


def _add_error_handlers(app: FastAPI) -> None:
    async def invalid(_: Request, error: Exception) -> Response:
        problems = error.errors() if isinstance(error, RequestValidationError) else []
        not_json = any(problem["type"] == "json_invalid" for problem in problems)
        status = HTTPStatus.BAD_REQUEST if not_json else HTTPStatus.UNPROCESSABLE_ENTITY
        return _error(status, "; ".join(map(_problem, problems[:3])) or "invalid request")

    async def refused(_: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", HTTPStatus.BAD_REQUEST)
        response = _error(status, str(getattr(error, "detail", error)))
        response.headers.update(getattr(error, "headers", None) or {})
        return response

    async def busy(_: Request, error: Exception) -> Response:
        return _error(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests are waiting; try again")

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(Error, refused)
    app.add_exception_handler(BusyError, busy)


def _problem(problem: Mapping[str, Any]) -> str:
    """One line about an invalid request, without its contents."""
    if problem["type"] == "json_invalid":
        return f"not JSON, at character {problem['loc'][-1]}"
    if problem["type"] == "model_attributes_type" and len(problem["loc"]) == 1:
        return "send a JSON object, with Content-Type: application/json"
    place = ".".join(str(step) for step in problem["loc"][1:] if isinstance(step, int | str))
    if problem["type"] == "extra_forbidden":
        return f"no key {place[:80]!r} in this request"
    if problem["type"] == "missing":
        return f"{place} is missing"
    message = str(problem["msg"]).removeprefix("Value error, ")
    message = message.replace("Input should be", "must be")
    return f"{place[:80]}: {message}" if place else message


def _error(status: int, reason: str) -> Response:
    response = _json({"error": reason}, status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = "1"
    return response


def _json(value: Mapping[str, Any], status: int = HTTPStatus.OK) -> Response:
    """JSON in ASCII: half a surrogate pair has no bytes in UTF-8."""
    return Response(json.dumps(value), int(status), media_type="application/json")


def _check_size(texts: Texts, max_text: int) -> int:
    """The number of characters. Raises an HTTPException if there are too many."""
    size = count_characters(texts)
    if size > max_text:
        reason = f"the text is longer than {max_text} characters"
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, reason)
    return size


async def _form(request: Request) -> dict[str, str]:
    """The form fields of the body and of the query."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = parse_qsl(body, keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise Error(f"more than {_MAX_FIELDS} fields") from error
    return {**request.query_params, **dict(fields)}
