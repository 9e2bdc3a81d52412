"""Least privilege, shown by what is asked: nothing beyond the grants, and no grant for nothing.

One stage does everything that a stage does; the requests that reach what stands for AWS, signed
with each function's own key, are held against the policies of the synthesised templates.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest

from infra.functions import FUNCTIONS
from local.calls import Call
from local.stage import BUCKET, Stage
from tests import forked
from tests.contract.fake_openai_server import FakeOpenAIServer
from tests.e2e.tenant import Tenant
from tests.infra.asked import Need, needs
from tests.infra.everything import PARTS, unmeasured
from tests.infra.templates import StageTemplates
from tests.infra.test_permissions import grants
from tests.plugins.stage import RETRY_SCALE

# The first test waits for the stage to have done everything: a minute, on busy cores five.
pytestmark = pytest.mark.timeout(900)

SECRETS: Final = {
    "TRACE_SECRET": ("/pulsedocs/local/trace-secret", "5a" * 32),
    "OPENAI_API_KEY": ("/pulsedocs/local/openai-api-key", "sk-test"),
}


@dataclass(frozen=True, slots=True)
class Unseen:
    """A grant that no request here can use: why, and until when we accept that."""

    action: str
    reason: str
    until: date
    functions: tuple[str, ...] = tuple(FUNCTIONS)

    def excuses(self, function: str, action: str) -> bool:
        return action == self.action and function in self.functions


UNSEEN: Final = (
    Unseen(
        "rds-db:connect",
        "A token is signed in the process and sent to no AWS service; PostgreSQL on this machine"
        " takes a password. tests/contract/test_database_tokens.py holds it to the role's name.",
        until=date(2027, 11, 30),
    ),
    Unseen(
        "sqs:SendMessage",
        "Lambda sends what a function could not do to the queue, with the function's role; the"
        " function itself does not. tests/infra/test_wiring.py holds the destinations to it.",
        until=date(2027, 11, 30),
    ),
    Unseen(
        "s3:ListBucket",
        "What expires between the listing and the reading of a proof answers 404 only to whoever"
        " may list, and 403 reads as an outage; nothing expires while this test runs.",
        until=date(2027, 11, 30),
        functions=("purge",),
    ),
)
REFUSED: Final = (
    Unseen(
        "s3:ListBucket",
        "It parses strangers' files and may not learn which keys there are: `extract_range` takes"
        " the 403 for a range that is still to be read.",
        until=date(2027, 11, 30),
        functions=("extract", "recognise"),
    ),
)
"""What is asked for in vain, by functions that know it."""


@pytest.fixture(scope="module")
def calls(
    tmp_path_factory: pytest.TempPathFactory, model_directory: Path, model: FakeOpenAIServer
) -> list[Call]:
    """Run a stage with the models of a deployment without options, its keys in SSM."""
    settings = {name: f"ssm:{parameter}" for name, (parameter, _) in SECRETS.items()}
    running = Stage(
        tmp_path_factory.mktemp("recorded"),
        model_directory=model_directory,
        settings=settings
        | {
            "EMBEDDING_MODEL": "openai:text-embedding-3-small@1536",
            "CHAT_MODEL": "openai:gpt-4o-mini",
            "RERANKER_MODEL": "memory:overlap",
            "OPENAI_BASE_URL": model.base_url,
        },
        retry_scale=RETRY_SCALE,
        environment=forked.start,
    )
    with running as stage, stage.aws.calls.observing() as seen:
        for name, text in SECRETS.values():
            ssm = stage.aws.client("ssm")
            ssm.put_parameter(Name=name, Value=text, Type="SecureString")
        for part in PARTS:
            with Tenant.new(stage) as tenant:
                part(stage, tenant)
        with Tenant(stage.url, stage.token(uuid4()), tenant_id=uuid4()) as tenant:
            unmeasured(tenant, model)
        return list(seen)


@pytest.fixture(scope="module")
def dev(assemblies: Path) -> StageTemplates:
    return StageTemplates(name="dev", folder=assemblies / "dev")


def granted(templates: StageTemplates, function: str) -> set[Need]:
    """Return each action that a function may do, and the pattern of what it may do it to."""
    return {
        (action, resource)
        for actions, resource in grants(templates, function)
        for action in actions.split()
    }


def asked(calls: list[Call], function: str) -> Mapping[Need, Call]:
    """Return what a function asked for, each with a request that shows it."""
    return {
        need: call
        for call in calls
        if call.function == function
        for need in needs(call, bucket=BUCKET)
    }


def covers(grant: Need, need: Need) -> bool:
    return grant[0] == need[0] and fnmatchcase(need[1], grant[1])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_whatever_a_function_asked_for_is_granted(
    name: str, calls: list[Call], dev: StageTemplates
) -> None:
    """P-04: missing permissions are found here and not by the first user."""
    allowed = granted(dev, name)

    refused = {
        need: call
        for need, call in asked(calls, name).items()
        if not any(covers(grant, need) for grant in allowed)
        and not any(each.excuses(name, need[0]) for each in REFUSED)
    }
    assert refused == {}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_whatever_is_granted_was_asked_for(
    name: str, calls: list[Call], dev: StageTemplates
) -> None:
    """P-04: a permission that nothing uses is one that only an attacker would."""
    used = asked(calls, name)

    idle = {
        grant
        for grant in granted(dev, name)
        if not any(covers(grant, need) for need in used)
        and not any(each.excuses(name, grant[0]) for each in UNSEEN)
    }
    assert idle == set()


@pytest.mark.parametrize("each", UNSEEN, ids=lambda each: each.action)
def test_what_is_granted_unseen_is_granted_still(each: Unseen, dev: StageTemplates) -> None:
    assert any(each.excuses(name, action) for name in FUNCTIONS for action, _ in granted(dev, name))


@pytest.mark.parametrize("each", REFUSED, ids=lambda each: each.action)
def test_what_is_asked_in_vain_is_asked_still(each: Unseen, calls: list[Call]) -> None:
    assert any(
        each.excuses(name, action) for name in each.functions for action, _ in asked(calls, name)
    )


@pytest.mark.parametrize("each", [*UNSEEN, *REFUSED], ids=lambda each: each.action)
def test_an_exception_has_a_reason_and_ends(each: Unseen) -> None:
    assert len(each.reason) > 40
    assert date.today() <= each.until, f"{each.action}: is this still so?"  # noqa: DTZ011 -- a day more or less


def test_the_log_names_who_asked(calls: list[Call]) -> None:
    assert {call.function for call in calls} <= FUNCTIONS.keys()
    assert json.dumps(sorted({call.service for call in calls})) == '["lambda", "s3", "ssm"]'
