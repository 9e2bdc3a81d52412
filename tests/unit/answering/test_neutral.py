"""No address that only the model knows is shown; those of the passages are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.answering.neutral import addresses_in, as_quoted, without_markup

_PAGE = "Fees: https://www.pier.example/fees?year=2031. Write to desk@pier.example; see rates.yaml."


def shown(text: str) -> str:
    return without_markup(text, is_known_address=addresses_in(_PAGE).__contains__)


@pytest.mark.parametrize(
    "address",
    [
        "https://rogue.example/?d=secret",
        "_https://rogue.example/?d=secret_",
        "9https://rogue.example",
        "hxxps://rogue[.]example",
        "rogue(dot)example/a",
        "rogue.example",
        "WWW.rogue.example",
        "www\u3002rogue\u3002example",
        "//rogue.example/a.png",
        "ht\u200btps://rogue.example",
        "\uff48\uff54\uff54\uff50\uff53\uff1a\uff0f\uff0frogue.example",
        "https&#58;//rogue&#46;example",
        "&amp;#104;ttps://rogue.example",
        "https\\://rogue\\.example",
        "[[open]](https://rogue.example)",
        "mailto:secret@rogue.example",
        "secret@rogue.example",
        "htthttps://rogue.exampleps://rogue.example/x",
        "https://pier.example.rogue.example/fees",
        "https://pier.example@rogue.example/",
        "ftp://rogue.example",
        "https : // rogue.example",
    ],
)
def test_an_invented_address_is_dropped_however_it_is_dressed(address: str) -> None:
    text = shown(f"Paper ({address}) is used.")

    assert "rogue" not in text
    assert "://" not in text


@pytest.mark.parametrize("address", ["tel:+4912345678", "javascript:steal()", "data:text/html,x"])
def test_schemes_without_a_host_are_dropped(address: str) -> None:
    assert ":" not in shown(f"Paper {address} is used.")


def test_what_is_appended_to_a_known_address_makes_it_unknown() -> None:
    assert "secret" not in shown("See https://www.pier.example/fees?year=2031&d=secret now.")


@pytest.mark.parametrize(
    "text",
    [
        "See https://www.pier.example/fees?year=2031.",
        "Ask pier.example or desk@pier.example, and read rates.yaml!",
        "It takes 3.5 kg (e.g. 1:2), cf. 15 U.S.C. 78, from 3.12.2031 at 9:30 a.m.",
        "Data: none. Tel: none. A/B and km/h.",
    ],
)
def test_addresses_of_the_pages_and_other_text_stay(text: str) -> None:
    assert shown(text) == text


@given(st.text(alphabet="htps:/.w evil@[]()&#;\\dot\u200b", max_size=60))
def test_what_is_left_has_no_address_to_drop(text: str) -> None:
    assert not addresses_in(once := shown(text)) - addresses_in(_PAGE), once


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("make token TENANT=<uuid>", "make token TENANT=\u2039uuid\u203a"),
        ("ssh <user name>@<host>", "ssh \u2039user name\u203a@\u2039host\u203a"),
        ("Maria <maria@orlea.example>", "Maria \u2039maria@orlea.example\u203a"),
        ("see <https://orlea.example/a>", "see \u2039https://orlea.example/a\u203a"),
        ("<b>now</b> <script>alert(1)</script>", "now alert(1)"),
        ("a <img src=x onerror=alert(1)> b", "a  b"),
        ("<IFRAME>x</IFRAME>", "x"),
        ("<ifr<b>ame src=x>", ""),
    ],
)
def test_what_is_to_be_filled_in_is_no_element(text: str, shown: str) -> None:
    assert without_markup(text, is_known_address=lambda _address: True) == shown


@pytest.mark.parametrize(
    "text",
    [
        "systemctl restart falcon@[1-4].service",
        "jq '.items[0].name' out.json",
        "An empty list [] turns it off, and so does main().",
        "the treaty [of 1987]",
    ],
)
def test_the_brackets_of_a_document_stay(text: str) -> None:
    """A command is copied from an answer."""
    assert as_quoted(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("as was shown [3]", "as was shown (3)"),
        ("[rates](https://pier.example)", "rates"),
        ("[[a](b)](https://pier.example)", "[a] (https://pier.example)"),
        ("[a][b] and [b]: https://pier.example", "[a] [b] and [b] : https://pier.example"),
        ("![a](b)c", "ac"),
    ],
)
def test_what_would_be_a_marker_or_a_link_is_none(text: str, shown: str) -> None:
    assert as_quoted(text) == shown
