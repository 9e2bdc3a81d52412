"""Which rows of a table name its columns, and what they call them."""

import pytest

from pulsedocs.model.tables import cells_of, heads_in, names_of


def test_an_empty_cell_keeps_its_place() -> None:
    assert cells_of("Oil | | 3") == ("Oil", "", "3")
    assert cells_of("| 2031 |") == ("", "2031", "")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Item | 2031 | 2031 | 2030 | 2030\nItem | Q1 | Q2 | Q1 | Q2\nOil | 7 | 8 | 9 | 4",
            ("Item", "2031 Q1", "2031 Q2", "2030 Q1", "2030 Q2"),
        ),
        (
            "Item | 2031 | | 2030 |\n| Q1 | Q2 | Q1 | Q2\nOil | 7 | 8 | 9 | 4",
            ("Item", "2031 Q1", "2031 Q2", "2030 Q1", "2030 Q2"),
        ),
        (
            "| Half | Half | Year | Year\n| 2031 | 2030 | 2031 | 2030\nOil | 7 | 8 | 9 | 4",
            ("", "Half 2031", "Half 2030", "Year 2031", "Year 2030"),
        ),
        ("Item | 2031 | 2030\n| tons | tons\nOil | 7 | 8", ("Item", "2031 tons", "2030 tons")),
        ("| 2031 Q1 | 2031 Q2\nOil | 7 | 8", ("", "2031 Q1", "2031 Q2")),
        ("| 30 June 2031 | 30 June 2030\nOil | 7 | 8", ("", "30 June 2031", "30 June 2030")),
        (
            "| 2031 \u00a3000 | 2030 \u00a3000\nOil | 7 | 8",
            ("", "2031 \u00a3000", "2030 \u00a3000"),
        ),
        ("| 2031 \u20b9m | 2030 \u20b9m\nOil | 7 | 8", ("", "2031 \u20b9m", "2030 \u20b9m")),
        ("| 2031 $'000 | 2030 $'000\nOil | 7 | 8", ("", "2031 $'000", "2030 $'000")),
        (
            "| 2031 (\u20acm) | 2030 (\u20acm)\nOil | 7 | 8",
            ("", "2031 (\u20acm)", "2030 (\u20acm)"),
        ),
        ("| 2031/32 $m | 2030/31 $m\nOil | 7 | 8", ("", "2031/32 $m", "2030/31 $m")),
        ("| 2031 | 2030\n| $000 | $000\nOil | 7 | 8", ("", "2031 $000", "2030 $000")),
        ("Stop | 701 | 703\nMint | 05:12 | 05:52\nMill | | 06:01", ("Stop", "701", "703")),
        ("Zone | 2 kg | 5 kg | 10 kg\nNorth | 4.10 | 7 | 9", ("Zone", "2 kg", "5 kg", "10 kg")),
        ("| 2031 | 2030\nFares: | |\nAdults | 7 | 8", ("", "2031", "2030")),
        ("Step | Do\nStep 1 | Open\nStep 2 | Press", ("Step", "Do")),
        ("Zone 1 | Zone 2\nred | green\nblue | grey", ("Zone 1", "Zone 2")),
        ("Part | 1.0 | 1.2 | 2.0\nProxy | no | no | yes", ("Part", "1.0", "1.2", "2.0")),
        ("Part | 3.10 | 3.9\nTries | 5 | 2\nProxy | \u2713 | \u2717", ("Part", "3.10", "3.9")),
        ("Monday | Tuesday\nswim | row\nrow | swim", ("Monday", "Tuesday")),
        ("Plan A | Plan B\nsmall | wide\nslow | fast", ("Plan A", "Plan B")),
        ("A | B | either\nT | F | yes\nF | F | no", ("A", "B", "either")),
        ("May | June\nswim | row\nrow | swim", ("May", "June")),
        ("At 1 May 2031 | Cost\nOil | x\nAt 1 May 2030 | Cost\nTea | y", ("At 1 May 2031", "Cost")),
        ("| Basic | Plus\nSupport | No | Yes\nUsers | 5 | 10", ("", "Basic", "Plus")),
        (
            "Day | Swim | Swim | Row\nMonday | A | A | B\nFriday | B | B | A",
            ("Day", "Swim", "Swim", "Row"),
        ),
    ],
)
def test_all_rows_of_heads_name_the_columns_and_no_other(text: str, names: tuple[str, ...]) -> None:
    [table] = heads_in(text)

    assert names_of(text[table.start : table.end]) == names


@pytest.mark.parametrize(
    "text",
    [
        "Depth | 48 m | 157 ft\nLength | 2 km | 6562 ft",
        "Depth | 1950 mm\nPower | 230 V",
        "Built | 1950 | 1951\nSold | 1999 | 2000",
        "Mint | 05:12 | 05:52\nMill | 05:19 | 05:59",
        "Saved | $1000 | $2000\nSpent | $110 | $90",
        "Fares: | |\nAdults | 7 | 8",
        "Step 1 | Open the valve\nStep 2 | Press the button\nStep 3 | Wait",
        "Anna | Chair | Room 4\nOtto | Clerk | Room 12",
        "Monday | Soup | Cake\nTuesday | Pie | Rice",
        "Lundi | Anne\nMardi | Luc",
        "April | prune the roses\nMay | sow beans\nJune | pick cherries",
        "Team A | Anna | Ben\nTeam B | Carl | Dora\nTeam C | Eve | Finn",
        "Tram 3 | black, olive\nTram 5 | red\nCargo | white",
        "Ratio | 1.0 | 1.2 | 2.0\nDays | 45 | 47 | n/a",
        "Ratio | 1.2 | 1.0 | 2.0\nDays | few | few | many",
    ],
)
def test_rows_of_figures_and_groups_name_no_columns(text: str) -> None:
    assert list(heads_in(text)) == []


def test_pairs_of_a_name_and_its_value_have_no_heads() -> None:
    pairs = "Born | 1815\nCity | London\nTrade | Countess\nPhone | 555 0199\nTeacher | Babbage"

    assert not list(heads_in("Name | Ada Byron\n" + pairs))
    assert not list(heads_in("Name: | Ada Byron\nBorn: | 1815"))
    assert not list(heads_in("Bill no. | GT-2031-0871\nDate | 28 May 2031\nFor | Bo Kay, Lade"))
    assert not list(heads_in("Spoken | Welsh, Dutch (some), English\nPrograms | Loom, Shed"))
    assert list(heads_in("Fee | FY2031\nOil | 7\nTar | 8"))
    assert list(heads_in("Hall, by day | Price, with tax\nLower | 7\nUpper | 8"))
    assert list(heads_in("Boat | Fare\nGull | 3\nTern | free\nAuk | 2"))


@pytest.mark.parametrize(
    ("text", "has_heads"),
    [
        ("Esc | Help | Opens the page of help.\nTab | Save | Writes the log to disk.", False),
        ("Pump | Lifts water to the tank.\nValve | Holds back what the pump lifts.", False),
        ("Skill | Tick all that apply. | Note\nRow | yes | late\nSwim | no | soon", True),
        ("Key | What it does for you\nF1 | Opens the page of help.", True),
        ("Part | Is it covered by us?\nPump | It is covered for a year.", True),
    ],
)
def test_a_row_of_the_sentences_below_it_names_no_columns(text: str, *, has_heads: bool) -> None:
    assert bool(list(heads_in(text))) is has_heads


@pytest.mark.parametrize(
    ("text", "has_heads"),
    [
        ("Manager | Ann Lee\nPhone | 030 5550 17\nRooms | 24\nCheck-in | 15:00", False),
        ("Tenant | Bo Kay\nRent | \u00a3800\nArea | 54 m\u00b2\nRooms | 3", False),
        ("Contractor | Verge Ltd\nUntil | 2031-06-30\nHourly rate | \u00a348", False),
        ("Supplier | Olsen\nDelivered | 3 May 2031\nWeight | 41 kg", False),
        ("Line | Since\nFerry | 2024-03-01\nTram | 1987", True),
        ("Step | Day\nOffer | 3.5.2031\nOrder | 7.5.2031", True),
        ("Part | Quantity\nScrew | 24\nCable | 10 m", True),
        ("Ticket | Price\nAdult | \u00a35\nChild | 3.50\nGroup | 10 %", True),
        ("Service | Duration\nOil | 45 min\nClutch | 1:30 h", True),
        ("Hall | 2031\nRent | \u00a3800\nArea | 54 m\u00b2", True),
    ],
)
def test_figures_that_stand_in_no_column_are_of_pairs(text: str, *, has_heads: bool) -> None:
    assert bool(list(heads_in(text))) is has_heads


@pytest.mark.parametrize(
    ("text", "has_heads"),
    [
        ("Name | 2026-03-16 | 2026-03-17 | Total\nKim | early | off | 8", True),
        ("Week of | 2026-12-28 | 2027-01-04\nKim | 38 | 40", True),
        ("Name | 16.03. | 17.03.\nKim | F | S", True),
        ("Name | 3 Feb 2031 | 4 Feb 2031 | 5 Feb 2031\nKim | early | off | late", True),
        ("Name | 27. Februar | 28. Februar | 1. M\u00e4rz\nKim | 8 | 6 | 8", True),
        ("Name | 3 Feb | 9 Jun\nKim | early | off", False),
        ("Name | 3 boxes | 4 boxes\nKim | full | empty", False),
        ("Term 1 | 2026-03-16 | 2026-03-17\nTerm 2 | 2026-04-01 | 2026-04-02", False),
        ("Term | 2026-03-16 | 2026-07-17\nRoom | red | blue", False),
        ("Name | 30.02. | 31.02.\nKim | F | S", False),
    ],
)
def test_days_in_equal_steps_name_columns(text: str, *, has_heads: bool) -> None:
    assert bool(list(heads_in(text))) is has_heads


def test_a_table_at_the_beginning_of_a_page_has_its_own_heads_or_goes_on() -> None:
    first, further = "Pier | 2031\nWest | 7\n", "East | 8\nNorth | 9\n"
    second = "Rope | Coils\nHemp | 5\n"
    pages = (0, len(first), len(first + further))

    tables = list(heads_in(f"{first}{further}{second}", pages=pages))

    assert [table.start for table in tables] == [0, len(first + further)]


@pytest.mark.parametrize(
    ("row", "tables"),
    [
        ("Statement of cash | 2031 | 2030", 2),
        ("Income | 2031 | 2030", 2),
        ("Rent | 2031 | 2029", 1),
        ("Statement of cash | 7 | 8", 1),
    ],
)
def test_the_same_names_under_another_title_begin_another_table(row: str, tables: int) -> None:
    text = f"Income | 2031 | 2030\nOil | 7 | 8\n{row}\nTea | 5 | 6"

    assert len(list(heads_in(text))) == tables


@pytest.mark.parametrize(
    ("row", "is_heads"),
    [
        ("Rent | \u2013 | \u2013", False),
        ("Rent | none | n/a", False),
        ("Rent | free | free", False),
        ("Rope | Sold | Left", True),
        ("Rope | 2029 | 2028", True),
        ("Rope | Sold | Sold\n| Q1 | Q2", True),
    ],
)
def test_a_row_without_values_begins_no_table_on_a_further_page(
    row: str, *, is_heads: bool
) -> None:
    first = "Item | 2031 | 2030\nOil | 3 | 4\n"

    tables = list(heads_in(f"{first}{row}\nTea | 7 | 8\n", pages=(0, len(first))))

    assert [table.start for table in tables] == [0, len(first)][: 1 + is_heads]
