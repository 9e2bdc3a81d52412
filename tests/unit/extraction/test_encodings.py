# ruff: noqa: RUF001 -- texts in Greek and Turkish, and typographic quotes
"""Texts that do not say in what they are written: read as what they look like, and it is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.errors import ContentTypeMismatch, TextNotUTF8
from pulsedocs.extraction import TEXT, Budgets
from pulsedocs.extraction.reading import open_file
from pulsedocs.extraction.storable import storable
from pulsedocs.model.pages import Page
from pulsedocs.model.warnings import warnings_of

GERMAN = "Die Fähre fährt um sieben Uhr; für Kinder unter sechs Jahren ist die Überfahrt frei."
FRENCH = "Le bac part à sept heures. L’été, la traversée est gratuite pour les élèves."


def read(body: bytes, content_type: str = TEXT) -> list[Page]:
    return list(open_file(body, content_type=content_type, budgets=Budgets()).pages())


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        (FRENCH, "cp1252"),
        ("El niño paga la mitad; los mayores, 5 € por cada travesía en otoño.", "cp1252"),
        (
            "Prom odpływa o siódmej. Dzieci poniżej sześciu lat płyną za darmo, także żółw.",
            "cp1250",
        ),
        ("Паром отходит в семь часов. Дети до шести лет едут бесплатно.", "cp1251"),
        ("Паром отходит в семь часов. Дети до шести лет едут бесплатно.", "koi8_r"),
        ("Το πλοίο φεύγει στις επτά. Τα παιδιά ταξιδεύουν δωρεάν.", "cp1253"),
        (
            "Vapur saat yedide kalkar; altı yaşından küçük çocuklar için geçiş ücretsizdir.",
            "cp1254",
        ),
        ("渡船は七時に出ます。六歳未満の子供は無料です。", "cp932"),
        ("渡船は七時に出ます。六歳未満の子供は無料です。", "euc_jp"),
        ("渡轮七点开船。六岁以下的儿童免费乘坐。", "gb18030"),
        ("渡輪七點開船。六歲以下的兒童免費乘坐。", "big5hkscs"),
        ("배는 일곱 시에 떠납니다. 여섯 살 미만 어린이는 무료입니다.", "cp949"),
        ("It’s “free” for children – adults pay £5.", "cp1252"),
    ],
)
def test_a_text_is_read_in_the_encoding_of_its_language(text: str, encoding: str) -> None:
    [page] = read(text.encode(encoding))

    assert page.text == text
    [warning] = warnings_of([page])
    assert f"read as {page.guessed_encoding}" in warning
    assert "--encoding" in warning


def test_what_excel_saves_as_csv_is_a_table() -> None:
    [page] = read("Straße;Preis\r\nMüllerstraße;5,00 €\r\n".encode("cp1252"), "text/csv")

    assert "Müllerstraße" in page.text
    assert "5,00 €" in page.text


def test_one_letter_late_in_a_long_text_is_enough() -> None:
    pages = read(("The ferry leaves at seven. " * 12_000 + FRENCH).encode("cp1252"))

    assert pages[-1].text.endswith(FRENCH)
    assert {page.guessed_encoding for page in pages} == {"cp1252"}


def test_nothing_is_said_of_a_text_in_utf8() -> None:
    [page] = read(GERMAN.encode())

    assert page.guessed_encoding is None
    assert warnings_of([page]) == []


@given(
    st.binary(max_size=300)
    | st.text("aenrst äöüßéñ.,", max_size=300).map(lambda text: text.encode("cp1252"))
)
def test_any_bytes_that_are_guessed_are_read_whole(body: bytes) -> None:
    try:
        pages = read(b"x" + body)
    except (TextNotUTF8, ContentTypeMismatch):
        return
    codec = pages[0].guessed_encoding
    if codec is not None:
        text = storable((b"x" + body).decode(codec))
        assert "".join(page.text for page in pages) == text.replace("\f", "")


POLISH = "Zażółć gęślą jaźń"


@pytest.mark.parametrize(
    ("text", "is_in", "stated"),
    [
        (POLISH, "cp1250", "text/plain; charset=windows-1250"),
        (POLISH, "iso8859_2", 'text/plain; format=flowed; charset="ISO-8859-2"'),
        ("Crème brûlée", "mac_roman", "text/plain; charset=macintosh"),
        ("渡船は七時に出ます。", "iso2022_jp", "text/plain; charset=iso-2022-jp"),
        ("Miód;Żyto", "cp1250", "text/csv;charset=cp1250"),
    ],
)
def test_a_text_is_read_in_the_encoding_that_its_type_states(
    text: str, is_in: str, stated: str
) -> None:
    [page] = read(text.encode(is_in), stated)

    assert page.text == text.replace(";", " | ")
    assert warnings_of([page]) == []


def test_what_is_stated_goes_before_what_a_page_declares() -> None:
    """As in browsers: who sends a page may have written it anew, and its head with it or not."""
    body = f'<meta charset="iso-8859-1"><p>{POLISH}</p>'.encode("cp1250")

    [page] = read(body, "text/html; charset=windows-1250")

    assert page.text == POLISH


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_utf8_that_its_sender_calls_something_else_is_utf8(mark: bytes) -> None:
    [page] = read(mark + GERMAN.encode(), "text/plain; charset=ISO-8859-1")

    assert page.text == GERMAN


@pytest.mark.parametrize("stated", ["shift_jis", "klingon", "utf-8", "unicode_escape"])
def test_what_does_not_fit_as_stated_is_guessed(stated: str) -> None:
    [page] = read(FRENCH.encode("cp1252"), f"text/plain; charset={stated}")

    assert page.text == FRENCH
    assert page.guessed_encoding == "cp1252"
