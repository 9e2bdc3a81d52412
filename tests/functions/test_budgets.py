"""An operator limits a tenant's day; GET /usage shows it, and only operators choose."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from functions.documents.handler import handler
from pulsedocs.bootstrap import databases
from pulsedocs.errors import ConfigurationError
from pulsedocs.model.budgets import Limits
from pulsedocs.scopes import ADMIN, READ, WRITE
from tests.functions.conftest import TENANT, Context


def request_to(
    method: str, path: str, body: object = None, *, scopes: str = READ
) -> tuple[int, dict[str, Any]]:
    event = {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": {"content-type": "application/json"},
        "multiValueHeaders": {"content-type": ["application/json"]},
        "requestContext": {
            "requestId": "1",
            "authorizer": {"tenant_id": str(TENANT), "subject": "ann", "scopes": scopes},
        },
        "body": None if body is None else json.dumps(body),
    }
    response = handler(event, Context("documents"))
    return response["statusCode"], json.loads(response["body"])


def budget() -> dict[str, Any]:
    return request_to("GET", "/usage")[1]["budget"]


def test_a_tenant_has_the_stages_limits_until_an_operator_gives_it_others(
    act_as: Callable[..., None],
) -> None:
    act_as("api", BUDGET_TOKENS_PER_DAY="1000", BUDGET_USD_PER_DAY="0.5", BUDGET_PAGES_PER_DAY="")
    nothing = {"used": 0.0, "reserved": 0.0}
    assert budget() | {"resets_at": ""} == {
        "source": "stage",
        "pages": {"limit": None, **nothing},
        "tokens": {"limit": 1000.0, **nothing},
        "usd": {"limit": 0.5, **nothing},
        "resets_at": "",
    }

    status, chosen = request_to("PUT", "/budget", {"pages": 10, "usd": 2.5}, scopes=ADMIN)

    assert (status, chosen) == (200, budget())
    limits = {name: chosen[name]["limit"] for name in ("pages", "tokens", "usd")}
    assert (chosen["source"], limits) == ("tenant", {"pages": 10.0, "tokens": None, "usd": 2.5})
    assert request_to("DELETE", "/budget", scopes=ADMIN)[1]["source"] == "stage"


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_who_may_write_documents_may_not_choose_what_they_cost(
    method: str, act_as: Callable[..., None]
) -> None:
    act_as("api")

    status, problem = request_to(method, "/budget", {}, scopes=f"{READ} {WRITE}")

    assert (status, problem["code"]) == (403, "FORBIDDEN")
    assert budget()["source"] == "stage"


@pytest.mark.parametrize(
    "body",
    [
        *({"pages": -1}, {"tokens": 1.5}, {"minutes": 3}, [], None),
        *({"usd": limit} for limit in ("a lot", "5", True, False)),
    ],
)
def test_what_is_no_limit_is_refused(body: object, act_as: Callable[..., None]) -> None:
    act_as("api")

    assert request_to("PUT", "/budget", body, scopes=ADMIN)[0] == 400


def test_limits_of_the_stage_come_from_the_settings_and_empty_is_none(
    act_as: Callable[..., None],
) -> None:
    act_as(BUDGET_PAGES_PER_DAY="0", BUDGET_TOKENS_PER_DAY="", BUDGET_USD_PER_DAY="1.25")
    assert databases.budget_limits() == Limits(pages=0, tokens=None, microdollars=1_250_000)

    act_as(BUDGET_PAGES_PER_DAY="-1")
    with pytest.raises(ConfigurationError, match="BUDGET_PAGES_PER_DAY"):
        databases.budget_limits()
