"""What is said of one of some things that stand beside each other is not said of the next one."""

from collections.abc import Iterator
from typing import Final

import pytest

from local.stage import Stage
from tests.e2e.answers import ask, assert_says
from tests.e2e.tenant import Tenant, holding

PAGES: Final = {
    "rooms.txt": """We have rooms in Alton, Burwell and Cray Hill. The room in Burwell costs 40
euros an hour. The room in Cray Hill has a piano. It seats sixty people.""",
    "plans.txt": """We offer three plans: Solo, Family and Plus. The Plus plan has 500 GB of storage
and costs 12 dollars a month. With Family, up to six people share one account.""",
    "manual.txt": """Harbour runs on Windows, Linux and macOS. On Linux its logs are in
/var/log/harbour. The settings of Harbour on macOS are in Library/Harbour.""",
    "clubs.txt": """Members of the clubs in Bern and Basel may row for free. In Bern the boats are
kept under the bridge. The club in Basel was founded in 1921.""",
    "report.txt": """13. Results of the year

Net sales were 812 million in 2021.""",
}
QUESTIONS: Final = (
    ("How much does the room in Burwell cost?", "40 euros"),
    ("How much does the room in Alton cost?", None),
    ("Does the room in Cray Hill have a piano?", "has a piano"),
    ("Does the room in Alton have a piano?", None),
    ("How much storage has the Plus plan?", "500 GB"),
    ("How much storage has the Family plan?", None),
    ("How many people share one account with Family?", "six"),
    ("Where are the logs on Linux?", "/var/log/harbour"),
    ("Where are the logs on Windows?", None),
    ("Where are the settings on macOS?", "Library/Harbour"),
    ("When was the club in Basel founded?", "1921"),
    ("When was the club in Bern founded?", None),
    ("Where are the boats kept in Bern?", "under the bridge"),
    ("Where are the boats kept in Basel?", None),
    ("How much were the net sales in 2021?", "812 million"),
)


@pytest.fixture(scope="module")
def library(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, PAGES) as tenant:
        yield tenant


@pytest.mark.parametrize(("question", "expected"), QUESTIONS)
def test_what_is_said_of_one_of_a_list_answers_for_no_other_one(
    library: Tenant, question: str, expected: str | None
) -> None:
    assert_says(ask(library, question), expected)
