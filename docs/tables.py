"""Tables of the reference, made from the code they describe; `make docs` writes them."""

import ast
import json
import re
from itertools import pairwise
from pathlib import Path

from infra.functions import FUNCTIONS
from infra.promises import PROMISES
from infra.routes import ROUTES
from pulsedocs.edge.problems import status_of
from pulsedocs.edge.questions import QuestionRequest, ScopedRequest
from pulsedocs.errors import NoAnswer, PulseDocsError, branch
from pulsedocs.extraction import FORMATS
from pulsedocs.model.retrieval import GateScale, Profile
from pulsedocs.pipeline import STATE_AFTER, Step
from pulsedocs.retrieval.profiles import PROFILES
from pulsedocs.settings import Settings

ROOT = Path(__file__).parents[1]
_SOURCES = ROOT / "layers" / "core" / "python" / "pulsedocs"


def errors() -> str:
    """Return one row per error that can reach a person."""
    rows = [
        f"| `{error.code}` | `{error.__name__}` | {_status(error)} | {error.guidance} |"
        for error in _instantiable()
    ]
    return table("| code | class | HTTP | what to do |", rows)


def settings() -> str:
    """Return one row per environment variable."""
    rows: list[str] = []
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        written = json.dumps(default) if isinstance(default, dict) else default
        shown = "" if default in (None, "", {}) else f"`{written}`"
        rows.append(f"| `{field.alias}` | {shown} | {_attribute_docs().get(name, '')} |")
    return table("| variable | default | meaning |", rows)


def functions() -> str:
    """Return one row per Lambda function."""
    rows = [
        f"| `{spec.name}` | {spec.memory_mb} MB | {spec.timeout_seconds} s |"
        f" {f'`{spec.database_role}`' if spec.database_role else 'no'} |"
        f" {'yes' if spec.internet else 'no'} | {_first_line(spec.name)} |"
        for spec in FUNCTIONS.values()
    ]
    return table("| function | memory | timeout | database role | internet | does |", rows)


def formats() -> str:
    """Return one row per kind of file that can be read."""
    rows = [
        f"| {kind.name} | {_codes(kind.extensions)} | {_codes(kind.content_types)} |"
        for kind in FORMATS
    ]
    return table("| format | extensions | content types |", rows)


def profiles() -> str:
    """Return one row per retrieval profile of the product."""
    rows = [
        f"| `{one.name}` | {one.vector_candidates} | {one.keyword_candidates or 'no'} |"
        f" {_queries(one)} | {one.rerank_candidates or 'no'} | {_gate(one)} | {one.top_k} |"
        for one in PROFILES.values()
    ]
    head = "| profile | by meaning | by words | queries | reranked | gate | kept |"
    return table(head, rows)


def question_fields() -> str:
    """Return one row per field of a question that says what it means."""
    rows = [
        f"| `{name}` | {field.description} |"
        for name, field in QuestionRequest.model_fields.items()
        if field.description is not None and name not in ScopedRequest.model_fields
    ]
    return table("| field | means |", rows)


def routes() -> str:
    """Return one row per HTTP route."""
    rows = [
        f"| `{route.method} {route.path}` | `{route.function}` | {_scope(route.scope)} |"
        for route in ROUTES
    ]
    return table("| route | function | scope |", rows)


def promises() -> str:
    """Return one row per promise of a running stage."""
    rows = [
        f"| {promise.says} | [{promise.alarm}](#{promise.alarm.lower()}) | {promise.widget} |"
        for promise in PROMISES
    ]
    return table("| promise | alarm when it is broken | graph |", rows)


def stages() -> str:
    """Return the ingestion steps with the state each leads to."""
    rows = [
        f"| `{step}` | {f'`{STATE_AFTER[step]}`' if step in STATE_AFTER else ''} |"
        f" {_first_line(step.value)} |"
        for step in Step
    ]
    return table("| step | state after it | does |", rows)


def _queries(profile: Profile) -> str:
    written = {"optimised": profile.optimised_query, "HyDE": profile.hyde}
    return ", ".join(name for name, is_written in written.items() if is_written) or "no"


def _gate(profile: Profile) -> str:
    is_open = profile.gate_scale is GateScale.NONE
    return "no" if is_open else f"{profile.gate_scale} {profile.gate:.2f}"


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _scope(scope: str | None) -> str:
    return "no token" if scope is None else f"`{scope}`"


def _instantiable() -> list[type[PulseDocsError]]:
    """Return what is raised: the leaves of the tree, and inner nodes that are raised themselves."""
    written = "\n".join(path.read_text(encoding="utf-8") for path in _SOURCES.rglob("*.py"))
    raised = set(re.findall(r"(?<!class )\b(\w+)\(", written))
    return [
        error
        for error in branch(PulseDocsError)
        if [*branch(error)] == [error] or error.__name__ in raised
    ]


def _status(error: type[PulseDocsError]) -> str:
    return "" if issubclass(error, NoAnswer) else str(status_of(error("")).value)


def _first_line(function: str) -> str:
    path = ROOT / "functions" / function / "handler.py"
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.splitlines()[0]


def _attribute_docs() -> dict[str, str]:
    """Return the string that follows each attribute of Settings, as one line."""
    source = ROOT / "layers" / "core" / "python" / "pulsedocs" / "settings.py"
    body = next(
        node.body
        for node in ast.parse(source.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == "Settings"
    )
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def table(head: str, rows: list[str]) -> str:
    columns = head.count("|") - 1
    return "\n".join([head, "|" + " --- |" * columns, *rows])
