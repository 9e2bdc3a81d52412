"""The console's files: what the page may do, and that it says everything in both languages."""

import re
from collections.abc import Generator
from pathlib import Path

import pytest

from pulsedocs import bootstrap, questions
from pulsedocs.adapters.postgres.questions.legs import DEGRADED
from pulsedocs.edge import console
from pulsedocs.errors import NotFound
from pulsedocs.model.languages import NAMES

FOLDER = Path(console.__file__).with_name("console")
CODE = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.js")}


@pytest.fixture
def on_aws(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    for name, text in {
        "BUCKET": "the-bucket",
        "AWS_REGION": "eu-west-1",
        "SIGN_IN_PAGE": "https://pool.example",
        "SIGN_IN_CLIENT": "the-client",
    }.items():
        monkeypatch.setenv(name, text)
    bootstrap.reset()
    yield
    bootstrap.reset()


@pytest.mark.usefixtures("on_aws")
def test_the_page_may_run_its_own_files_and_send_to_the_stage_only() -> None:
    rules = dict(rule.strip().split(" ", 1) for rule in console.policy().split(";"))

    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == "'self'"
    assert rules["connect-src"].split() == [
        *("'self'", "https://the-bucket.s3.eu-west-1.amazonaws.com", "https://pool.example")
    ]


@pytest.mark.usefixtures("on_aws")
def test_the_configuration_names_the_pool_and_no_secret() -> None:
    assert console.file("config.json").text == (
        '{"sign_in_page": "https://pool.example", "client_id": "the-client"}'
    )


@pytest.mark.parametrize("name", ["secrets.json", "../openapi.json", "", ".", "console"])
def test_other_files_are_not_served(name: str) -> None:
    with pytest.raises(NotFound):
        console.file(name)


def test_every_file_has_a_type_and_a_name_for_its_content() -> None:
    files = [console.file(path.name) for path in FOLDER.iterdir()]

    assert len({file.etag for file in files}) == len(files)
    assert sum(len(file.text) for file in files) < 172_000


@pytest.mark.parametrize("name", CODE)
def test_nothing_parses_markup_or_runs_text(name: str) -> None:
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|Function\("
    )

    assert re.findall(forbidden, CODE[name]) == []


def test_the_page_names_nobody_elses_host() -> None:
    named = {host for text in CODE.values() for host in re.findall(r"https?://([\w.]+)", text)}

    assert named <= {"www.w3.org"}  # the name of a namespace, which nobody asks


def test_whatever_an_answer_did_without_is_said_in_words() -> None:
    """Fails when: a reader is told that it was "answered without input_stage"."""
    source = "".join(path.read_text("utf-8") for path in Path(questions.__path__[0]).glob("*.py"))
    noted = re.findall(r'(?:attempt\(|failures\[|_Call\()\s*"(\w+)"', source)
    same = re.search(r"const SAME = \{([^}]*)\}", CODE["ask.js"])

    assert same is not None
    said = {*re.findall(r"\bd_(\w+):", CODE["words.js"]), *re.findall(r"(\w+):", same[1])}
    assert {*noted, *DEGRADED.values(), "usage", "conversation", "embedding"} <= said


def test_every_language_of_words_can_be_chosen() -> None:
    """Failed when Catalan and ten others could not: PostgreSQL 16 has all but Estonian's words."""
    listed = re.search(r'const LANGUAGES = "([^"]*)"', CODE["documents.js"])

    assert listed is not None
    assert {*listed[1].split()} == {*NAMES} - {"et"}


def test_both_languages_say_the_same_things_and_everything_that_is_asked_for() -> None:
    english, german = (
        dict(re.findall(r'(\w+): "((?:[^"\\]|\\.)*)"', part))
        for part in re.split(r"\n  de: \{", CODE["words.js"].partition("export")[0])
    )
    asked = {
        key
        for name, text in CODE.items()
        if name != "words.js"
        for key in re.findall(r'\bt\(\s*"(\w+)"', text)
    }

    assert english.keys() == german.keys()
    assert asked <= english.keys()
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", german[key])), key
        for said in (text, german[key]):  # what is for one and for more is of a number it has
            chosen = set(re.findall(r"\{(\w+):[^|}]+\|[^}]+\}", said))
            assert chosen <= set(re.findall(r"\{(\w+)\}", said)), key
            assert said.count("{") == len(re.findall(r"\{\w+(?::[^|{}]+\|[^{}]+)?\}", said)), key
