"""Annual reports that say "we": which company's and which year's, only their names and covers tell.

A report is one text with other figures, as reports of companies are alike; two companies share the
first word of their names, and each report mentions the years before.
"""

import random
from dataclasses import dataclass
from typing import Final

from evaluation.datasets import QUESTIONS, Dataset, Document, rows
from pulsedocs.model.evaluations import Expected, LabelledQuestion
from pulsedocs.model.pages import CleanedPage, OffsetMap

_YEARS: Final = (2020, 2021, 2022)
_DRAWN: Final = {
    "officer": ("Ingrid Solheim", "Marcus Adeyemi", "Louise Carrick", "Dario Venturi"),
    "cause": ("dear freight", "higher prices", "a flood at our main site", "the strong dollar"),
    "bought": ("Pelican Controls", "Nordlys Systems", "Marrow & Sons", "Quillfeather Data"),
}
_ASKED_OF: Final = 3  # of the companies, each question


@dataclass(frozen=True, slots=True)
class Company:
    name: str
    symbol: str
    goods: str
    first: str
    second: str


_COMPANIES: Final = (
    Company("Halvorsen Marine", "HALVORSEN", "ship engines", "Propulsion", "Service"),
    Company("Halvorsen Pipelines", "HALVORSENPL", "pipes", "Gathering", "Storage"),
    Company("Brightwater Foods", "BRIGHTWATER", "frozen food", "Meals", "Bakery"),
    Company("Tamarind Semiconductor", "TAMARIND", "power chips", "Automotive", "Industrial"),
    Company("Oakridge Retail", "OAKRIDGE", "tools", "Stores", "Online"),
)


def reports() -> Dataset:
    """Return reports of five companies over three years, and questions that single pages answer."""
    documents = tuple(_report(company, year) for company in _COMPANIES for year in _YEARS)
    questions: tuple[LabelledQuestion, ...] = ()
    for number, row in enumerate(rows(QUESTIONS / "reports.jsonl")):
        draw = random.Random(number)
        for company in draw.sample(_COMPANIES, _ASKED_OF):
            year = draw.choice(_YEARS)
            expected = tuple(Expected(_source(company, year), page) for page in row["pages"])
            asked = row["question"].format(name=company.name, year=year)
            questions += (LabelledQuestion(asked, expected),)
    return Dataset("reports", documents, questions)


def _report(company: Company, year: int) -> Document:
    text = (QUESTIONS / "report.txt").read_text(encoding="utf-8").format_map(_Stated(company, year))
    pages = (page.strip() for page in text.split("=====\n"))
    return Document(
        _source(company, year),
        tuple(
            CleanedPage(number, page, OffsetMap((0,), (0,), (len(page),)))
            for number, page in enumerate(pages, start=1)
        ),
    )


def _source(company: Company, year: int) -> str:
    return f"{company.symbol}_{year}_10K.pdf"


class _Stated(dict[str, object]):
    """What a report states, by name; "sales1" is the year before. The same on every run."""

    def __init__(self, company: Company, year: int) -> None:
        super().__init__(
            name=company.name,
            symbol=company.symbol,
            goods=company.goods,
            first=company.first,
            second=company.second,
        )
        self._year = year

    def __missing__(self, key: str) -> object:
        name = key.rstrip("12")
        year = self._year - int(key.removeprefix(name) or 0)
        draw = random.Random(f"{self['symbol']} {year} {name}")
        if name == "year":
            return year
        if name in _DRAWN:
            return draw.choice(_DRAWN[name])
        if name == "matures":
            return year + draw.randrange(3, 8)
        is_share = name in {"rate", "margin", "customers"}
        return round(draw.uniform(11, 44), 1) if is_share else f"{draw.randrange(100, 9999):,}"
