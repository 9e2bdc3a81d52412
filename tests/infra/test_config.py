"""A stage or an option that makes no sense is refused before anything is synthesised."""

from dataclasses import replace

import pytest

from infra.config import STAGES, Options, options_from, stage_named
from pulsedocs.errors import ConfigurationError


@pytest.mark.parametrize("name", [None, "", "production", "DEV"])
def test_an_unknown_stage_is_refused_by_naming_the_known_ones(name: str | None) -> None:
    with pytest.raises(ConfigurationError, match="dev, staging, prod"):
        stage_named(name)


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_is_found_by_its_name(name: str) -> None:
    assert stage_named(name).name == name


@pytest.mark.parametrize("change", [{"min_acu": 0.5}, {"auto_pause_minutes": None}])
def test_a_database_pauses_exactly_where_its_minimum_is_zero(change: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match="pauses exactly when"):
        replace(STAGES["dev"], **change)


@pytest.mark.parametrize("name", ["d", "Dev", "my_stage", "a-name-of-seventeen", "1st"])
def test_a_stages_name_can_be_part_of_every_name_in_aws(name: str) -> None:
    with pytest.raises(ConfigurationError, match="must be 2 to 16"):
        replace(STAGES["dev"], name=name)


def test_an_issuer_is_given_whole_or_not_at_all() -> None:
    with pytest.raises(ConfigurationError, match="go together"):
        Options(token_issuer="https://issuer.example")  # noqa: S106 -- an address


def test_options_come_from_the_context_and_keep_their_defaults() -> None:
    options = options_from({"alert_email": "operator@example.com"}.get)

    assert options == Options(alert_email="operator@example.com")
    assert not options.has_own_issuer


def test_only_the_protected_stage_leaves_everything() -> None:
    assert {stage.name for stage in STAGES.values() if stage.is_protected} == {"prod"}
