"""Answers from documents of a page or less, one each, in the words of those who ask."""

from collections.abc import Iterator
from typing import Final
from uuid import uuid4

import pytest

from local.stage import Stage
from tests.e2e.answers import ask, assert_cited, assert_says
from tests.e2e.tenant import TEXT, Tenant, holding

BOATS: Final = (
    ("Boat", "Seats", "Price a day", "Pier"),
    ("Gull", "2", "31 euros", "north"),
    ("Tern", "4", "52 euros", "south"),
    ("Auk", "6", "70 euros", "north"),
)


@pytest.mark.parametrize("kind", ["md", "html", "txt"])
def test_a_question_that_one_row_answers_is_answered_by_that_row(stage: Stage, kind: str) -> None:
    """T-17: with its own heads, and no other row beside it."""
    head, *rows = BOATS
    body = {
        "md": "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)),
        "html": "<table>"
        + "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in BOATS)
        + "</table>",
        "txt": "\n".join(" ".join(row) for row in BOATS),
    }[kind]
    with holding(stage, {f"boats.{kind}": body}) as tenant:
        answered = ask(tenant, "What is the price a day of the boat Tern?")

    said = answered["answer"] + "".join(citation["quote"] for citation in answered["citations"])
    assert "52 euros" in answered["answer"]
    assert "Price a day" in said
    assert "Gull" not in said
    assert "Auk" not in said


BIKES: Final = """# Bikes

| Model | Weight (kg) | Price |
| --- | --- | --- |
| Otter | 18.5 | 1,899 |
| Otter Plus | 19.2 | 2,249 |
| Heron | 21 | 3,199 |
| Heron Pro | 20.4 | 4,099 |
| Mule | 34.8 | 4,799 |

## Settings of the display

| Option | Default | Meaning |
| --- | --- | --- |
| API_KEY | | |
| TIMEOUT | 30 | Seconds until it goes dark |
"""


@pytest.fixture(scope="module")
def bikes(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"bikes.md": BIKES}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "models", "note"),
    [
        ("List all bikes", "Otter|Otter Plus|Heron|Heron Pro|Mule", None),
        ("Which is the cheapest bike?", "Otter|Otter Plus|Heron|Heron Pro|Mule", "comparison"),
        ("How many bikes are there?", "Otter|Otter Plus|Heron|Heron Pro|Mule", "count"),
        (
            "What is the difference in price between Otter and Otter Plus?",
            "Otter|Otter Plus",
            "comparison",
        ),
        ("What do the Heron and the Mule cost?", "Heron|Mule", None),
        ("How heavy is the Otter Plus?", "Otter Plus", None),
    ],
)
def test_rows_of_a_table_that_are_asked_for_together_come_together(
    bikes: Tenant, question: str, models: str, note: str | None
) -> None:
    """A list that is cut short, or one side of two, is taken for the whole."""
    answered = ask(bikes, question)

    shown = [line.split(",")[0].removeprefix("Model: ") for line in answered["answer"].split("\n")]
    assert "|".join(shown) == models
    assert (answered["note"] or {}).get("kind") == note
    assert_cited(bikes, answered)


def test_a_setting_without_values_names_no_group(bikes: Tenant) -> None:
    answered = ask(bikes, "What does the option TIMEOUT mean?")

    assert answered["answer"].startswith("Option: TIMEOUT, Default: 30")


FACTS: Final = {
    "en": """The boat shed is locked at sunset by the warden. The invoice is paid on receipt.

The uniform of the porters is khaki. The shears of the gardener hang indoors.

The trial of the course lasts a fortnight. The dog of the porter eats two times a day.

Entry to the rose garden is free. A locker costs 2 euros. A towel costs 4 euros.

The bell of the tower is rung by hand. The meeting of the board is held with the tenants.
""",
    "de": """Die Miete der Halle ist am ersten Werktag f\u00e4llig. Das Lager wird in der Osterwoche
ger\u00e4umt. Die Rechnung der Werkstatt ist bei Erhalt zu bezahlen.

Der Eintritt in den Garten ist frei.
""",
}


@pytest.fixture(scope="module")
def facts(stage: Stage) -> Iterator[Tenant]:
    with Tenant.new(stage) as tenant:
        tenant.post("/collections", {"name": "de", "model": "local:muse@512", "language": "german"})
        for language, text in FACTS.items():
            into = {} if language == "en" else {"collection": language}
            ingested = tenant.ingest(text.encode(), filename=f"{language}.txt", **into)
            assert ingested["outcome"] == "PUBLISHED"
        yield tenant


@pytest.mark.parametrize(
    ("collection", "question", "says"),
    [
        ("default", "When is the boat shed locked?", "at sunset"),
        ("default", "When is the invoice paid?", "on receipt"),
        ("default", "What colour is the uniform of the porters?", "khaki"),
        ("default", "Where do the gardener's shears hang?", "indoors"),
        ("default", "How long does the trial of the course last?", "a fortnight"),
        ("default", "How many times a day does the porter's dog eat?", "two times a day"),
        ("default", "How much does entry to the rose garden cost?", "is free"),
        ("default", "When is the bell of the tower rung?", None),
        ("default", "What colour is the bell of the tower?", None),
        ("default", "Where is the meeting of the board held?", None),
        ("de", "Wann ist die Miete der Halle f\u00e4llig?", "am ersten Werktag"),
        ("de", "Wann wird das Lager ger\u00e4umt?", "in der Osterwoche"),
        ("de", "Wann ist die Rechnung der Werkstatt zu bezahlen?", "bei Erhalt"),
        ("de", "Was kostet der Eintritt in den Garten?", "ist frei"),
    ],
)
def test_when_where_and_how_much_may_be_said_in_any_words(
    facts: Tenant, collection: str, question: str, says: str | None
) -> None:
    """T-25: no list holds every word for a time; a sentence that says something else is none."""
    answered = ask(facts, question, collection=collection)

    assert (answered["abstained"] is None) == (says is not None), answered
    assert (says or "") in answered["answer"]


LEASE: Final = """# Mietvertrag \u00fcber Wohnraum

Zwischen Frau Helga Brandt, Lindenallee 12, Leipzig (Vermieterin), und Herrn Jonas Keil, zurzeit
wohnhaft in Halle (Mieter), wird folgender Vertrag geschlossen.

## \u00a7 3 Miete

Die Kaltmiete betr\u00e4gt monatlich 620 Euro. Der Mieter zahlt auch 35 Euro f\u00fcr den Hof.

## \u00a7 4 Kaution

Der Mieter leistet eine Sicherheit von drei Kaltmieten, also 1.860 Euro.

## \u00a7 5 Tierhaltung

Hunde und Katzen bed\u00fcrfen der Zustimmung des Vermieters.
"""


@pytest.fixture(scope="module")
def lease(stage: Stage) -> Iterator[Tenant]:
    with Tenant.new(stage) as tenant:
        tenant.post("/collections", {"name": "de", "language": "german"})
        tenant.ingest(LEASE.encode(), filename="mietvertrag.md", collection="de")
        yield tenant


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Wie hoch ist die Kaution?", "1.860 Euro"),
        ("Wer ist der Vermieter?", "Helga Brandt"),
        ("Wer ist der Mieter?", "Jonas Keil"),
        ("Wer ist der Hausmeister?", None),
    ],
)
def test_a_clause_says_how_much_and_who_not_its_heading(
    lease: Tenant, question: str, says: str | None
) -> None:
    """The number of a clause is no amount, nor two heads, one after the other, a name."""
    assert_says(ask(lease, question, collection="de"), says)


CLUBS: Final = {
    "spanish": """# Club n\u00e1utico

## Normas

Para llevar en cada salida:

- agua potable
- un silbato
- una linterna
""",
    "italian": """# Biblioteca comunale

I dizionari e le riviste restano in sede. Non si pu\u00f2 mangiare in sala studio.

Chi smarrisce un libro deve ricomprarlo. Le stampe costano 10 centesimi, a colori 30 centesimi.

Il prestito pu\u00f2 essere rinnovato una sola volta.
""",
    "portuguese": """# Piscina municipal

As aulas de nata\u00e7\u00e3o destinam-se a crian\u00e7as a partir dos 5 anos. Cada turma tem no
m\u00e1ximo 12 alunos. \u00c9 obrigat\u00f3rio o uso de touca. A \u00e1gua est\u00e1 a 28 graus.
""",
    "dutch": """# Tennisvereniging

Banen worden gereserveerd via de website. Honden zijn op het park toegestaan. De trainer is Bas
Verhoeven. De lessen duren tien weken.

Neem naar de eerste les mee:

- een racket
- een handdoek
""",
}


@pytest.fixture(scope="module")
def clubs(stage: Stage) -> Iterator[Tenant]:
    with Tenant.new(stage) as tenant:
        for language, text in CLUBS.items():
            tenant.post("/collections", {"name": language, "language": language})
            tenant.ingest(text.encode(), filename=f"{language}.md", collection=language)
        yield tenant


@pytest.mark.parametrize(
    ("collection", "question", "says"),
    [
        (
            "spanish",
            "\u00bfQu\u00e9 hay que llevar en cada salida?",
            "- agua potable - un silbato - una linterna",
        ),
        ("italian", "Quanto costa una stampa a colori?", "30 centesimi"),
        ("italian", "Quante volte si pu\u00f2 rinnovare un prestito?", "una sola volta"),
        ("italian", "Posso portare a casa un dizionario?", "restano in sede"),
        ("portuguese", "Quantos alunos tem uma turma?", "12 alunos"),
        ("portuguese", "Qual \u00e9 a temperatura da \u00e1gua?", "28 graus"),
        ("portuguese", "Quanto custam as aulas de nata\u00e7\u00e3o?", None),
        ("portuguese", "De que cor \u00e9 a touca?", None),
        ("dutch", "Wat moet ik meenemen naar de eerste les?", "- een racket - een handdoek"),
        ("dutch", "Wie is de trainer?", "Bas Verhoeven"),
        ("dutch", "Hoeveel banen zijn er?", None),
    ],
)
def test_a_club_is_asked_about_in_its_own_language(
    clubs: Tenant, collection: str, question: str, says: str | None
) -> None:
    """Who asks for a price, a colour or a number is told one, and who asks for a list all of it."""
    assert_says(ask(clubs, question, collection=collection), says)


def test_what_two_things_cost_together_is_both_of_them(facts: Tenant) -> None:
    """One side alone would pass for the sum."""
    answered = ask(facts, "How much do a locker and a towel cost together?")

    assert "A locker costs 2 euros" in answered["answer"], answered
    assert "A towel costs 4 euros" in answered["answer"]
    assert answered["note"]["kind"] == "sum"


ORDERS: Final = """# Orders

| Order | Status | Amount (euros) |
| --- | --- | --- |
| A-17 | open | 120 |
| A-18 | paid | 80 |
| A-19 | open | 45 |
"""


def test_rows_are_left_to_count_where_no_row_has_their_number(stage: Stage) -> None:
    """An amount, or the number in an order's code, is not the number of orders."""
    with holding(stage, {"orders.md": ORDERS}) as tenant:
        answered = ask(tenant, "How many orders are open?")

    assert "A-17" in answered["answer"], answered
    assert "A-19" in answered["answer"]
    assert "A-18" not in answered["answer"]
    assert answered["note"]["kind"] == "count"


CAKES: Final = """# Aunt Vesna's Cakes

## Pear Tart

Ingredients:

- 4 pears
- 180 g flour
- 90 g butter

Method:

1. Rub in the butter.
2. Core the pears.
3. Bake it for 35 minutes.

## Storing

The tart keeps for two days in a tin. It is not frozen.
"""


@pytest.fixture(scope="module")
def cakes(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"cakes.md": CAKES}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        (
            "What are the ingredients of the pear tart?",
            "Ingredients:\n- 4 pears\n- 180 g flour\n- 90 g butter [1].",
        ),
        (
            "How do I make the pear tart?",
            "Method:\n1. Rub in the butter.\n2. Core the pears.\n3. Bake it for 35 minutes [1].",
        ),
        ("How many pears does the tart need?", "- 4 pears [1]."),
        ("How many eggs does the tart need?", None),
        ("How long does the pie keep in the freezer?", None),
    ],
    ids=["list", "procedure", "item", "missing item", "missing thing"],
)
def test_a_list_comes_whole_and_an_item_alone(
    cakes: Tenant, question: str, shown: str | None
) -> None:
    """T-17: under its heading, in order, and verbatim in its citation."""
    answered = ask(cakes, question)

    assert answered["answer"] == (shown or answered["abstained"]["message"])
    if shown:
        assert_cited(cakes, answered)


STORE: Final = """# Pump station

In the machine hall the following must be worn at all times.

- boots with steel caps
- eye protection, also over glasses
- a dust mask when sanding

The emergency chest holds these things.

- two litres of gear oil
- four fuses
- a whistle

Before first use, wipe the tank. Do not put into the tank:

- copper
- salt
"""


@pytest.fixture(scope="module")
def store(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"store.md": STORE}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        (
            "What protective gear do I have to wear in the machine hall?",
            """In the machine hall the following must be worn at all times.
- boots with steel caps
- eye protection, also over glasses
- a dust mask when sanding [1].""",
        ),
        (
            "What is in the emergency chest?",
            """The emergency chest holds these things.
- two litres of gear oil
- four fuses
- a whistle [1].""",
        ),
        (
            "How many fuses are in the emergency chest?",
            "The emergency chest holds these things.\nfour fuses [1].",
        ),
        ("May I put copper into the tank?", "Do not put into the tank:\n- copper\n- salt [1]."),
    ],
)
def test_a_list_comes_with_the_sentence_that_announces_it(
    store: Tenant, question: str, shown: str
) -> None:
    """That sentence says nothing without its list, nor an item without it."""
    answered = ask(store, question)

    assert answered["answer"] == shown
    assert_cited(store, answered)


KAYAKS: Final = """# Kayak policy

## Exclusions

We do not pay for:

- damage in races, also while training;
- rust;
- kayaks that are hired out;
- scratches that do not impair use;
- loss by drifting off.

## In the boathouse

You may not:

- charge batteries;
- cook.
"""


@pytest.fixture(scope="module")
def kayaks(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"kayaks.md": KAYAKS}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("Is damage in races covered?", "We do not pay for:\ndamage in races, also while"),
        ("May I cook in the boathouse?", "You may not:\ncook [1]."),
        ("List all exclusions", "We do not pay for:\n- damage in races, also while training;\n- r"),
    ],
)
def test_an_item_comes_with_the_clause_above_it_that_denies_it(
    kayaks: Tenant, question: str, shown: str
) -> None:
    """Alone, "damage in races" reads as what is paid for."""
    answered = ask(kayaks, question)

    assert answered["answer"].startswith(shown)
    assert_cited(kayaks, answered)


def test_an_entry_of_a_programme_is_one_sentence_under_its_day(stage: Stage) -> None:
    """Its stops end none: who chairs B stood behind one, and was left out."""
    programme = """Harbour days

Tuesday, 9 June
9.00 Keynote: Reading the tide. Lars Berg, Tarn
10.00 Session A: Ropes (Hall 1). Chair: Mia Friis
10.00 Session B: Sails (Hall 2). Chair: Petra Novak

Wednesday, 10 June
9.00 Keynote: Salt in the air. Ada Lind, Holm
11.00 Prize for the best sail
"""
    with holding(stage, {"programme.txt": programme}) as tenant:
        chair = ask(tenant, "Who chairs session B?")
        keynote = ask(tenant, "Who gives the keynote on Wednesday?")

    assert chair["answer"] == "10.00 Session B: Sails (Hall 2). Chair: Petra Novak [1]."
    assert keynote["answer"] == "9.00 Keynote: Salt in the air. Ada Lind, Holm [1]."


@pytest.mark.parametrize("said", ["Thanks!", "ok", "Thank you very much, bye", "Merci"])
def test_who_says_thanks_is_quoted_nothing(bikes: Tenant, said: str) -> None:
    """The judge of answers is sure of anything then: "Apologies: Sven Aalto"."""
    assert ask(bikes, said)["citations"] == []


SERVER: Final = """# Heron server

Heron keeps the readings of weather stations.

## Install

```sh
apt install heron
heron init --data /srv/heron
```

## Make a backup

Stop nothing; a backup can be made while it runs.

```sh
heron dump --to /backup/heron.tar
```

## Upgrade

Upgrades keep the data of the last three versions. To upgrade, run:

```sh
apt update && apt install heron
heron migrate
```
"""


@pytest.fixture(scope="module")
def server(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"heron.md": SERVER}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("How do I install Heron?", "Install\napt install heron\nheron init --data /srv/heron [1]"),
        (
            "How do I make a backup?",
            """Stop nothing; a backup can be made while it runs.
heron dump --to /backup/heron.tar [1]""",
        ),
        (
            "How do I upgrade?",
            "To upgrade, run:\napt update && apt install heron\nheron migrate [1]",
        ),
        (
            "Can a backup be made while it runs?",
            "Stop nothing; a backup can be made while it runs [1].",
        ),
        (
            "Which command makes a backup?",
            """Stop nothing; a backup can be made while it runs.
heron dump --to /backup/heron.tar [1]""",
        ),
        ("How do I delete a station?", None),
    ],
    ids=[
        "under a heading",
        "under a sentence",
        "behind a colon",
        "not asked how",
        "asked for",
        "not there",
    ],
)
def test_commands_come_line_by_line_with_what_stands_over_them(
    server: Tenant, question: str, shown: str | None
) -> None:
    """T-17: two commands on one line are none, nor is one with a stop behind it."""
    answered = ask(server, question)

    assert answered["answer"] == (shown or answered["abstained"]["message"])
    if shown:
        assert_cited(server, answered)


PACKING: Final = """# Packing machine

The landlord of the hall gives six months' notice. The tenant keeps the keys in a safe.

Error E12: the belt is blocked. Remove the box.

Error E17: the film roll is empty. Insert a new roll.
"""


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What notice does the landlord of the hall give?", ["six months"]),
        ("What notice does the tenant of the hall give?", []),
        ("What do the errors E12 and E17 mean?", ["belt is blocked", "roll is empty"]),
        ("What do the errors E12 and E19 mean?", []),
    ],
)
def test_each_thing_asked_for_is_found_under_its_own_name(
    stage: Stage, question: str, says: list[str]
) -> None:
    """S0-16, S2-19: the landlord's notice is not the tenant's; two errors are two sentences."""
    with Tenant.new(stage) as tenant:
        tenant.ingest(PACKING.encode())

        answered = ask(tenant, question)

    assert (answered["abstained"] is None) == bool(says), answered["answer"]
    assert all(said in answered["answer"] for said in says)


PUMP_COMMAND: Final = """PUMPCTL(1)

NAME
       pumpctl - move water between tanks

OPTIONS
       -v, --valve NUMBER
           Open this valve before the pump starts. Closed valves stay closed.

       -V, --verbose
           Print each step.

       -w, --wait SECONDS
           Let the pump rest for so many seconds
           between two tanks.

Exit Status
===========

0
   The water was moved.

3
   A tank overflowed.

5
   No tank of that name was found.

Checked on 2025-Mar-02 by Ada Berg for the north tank.
Checked on 2025-Apr-07 by Olu Mbeki for the south tank.
"""


@pytest.fixture(scope="module")
def pump(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"pumpctl.txt": PUMP_COMMAND}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "says", "not_says"),
    [
        ("Which option lets the pump rest between two tanks?", "--wait SECONDS", "--verbose"),
        ("What does the -V option of pumpctl do?", "Print each step", "Open this valve"),
        ("What does the -v option of pumpctl do?", "Open this valve", "Print each step"),
        ("What does the -Z option of pumpctl do?", "", ""),
        ("What does exit status 3 of pumpctl mean?", "A tank overflowed", "No tank"),
        ("What does exit status 4 of pumpctl mean?", "", ""),
        ("Which tank was checked on 2025-Apr-07?", "south tank", "north tank"),
        ("Which tank was checked on 2025-May-19?", "", ""),
    ],
)
def test_a_definition_is_quoted_with_its_term(
    pump: Tenant, question: str, says: str, not_says: str
) -> None:
    """A manual's line says what it does, and only the line above says of what."""
    answered = ask(pump, question)

    assert (answered["abstained"] is None) == bool(says), answered
    assert says in answered["answer"]
    assert not not_says or not_says not in answered["answer"]
    if says:
        assert_cited(pump, answered)


def test_a_sentence_need_not_name_its_document(stage: Stage) -> None:
    """One that names it and says something else was shown instead."""
    text = (
        "You agree to all terms of this agreement in English.\n\n"
        "The courts of the county of Norland shall rule on any dispute or claim that arises out of"
        " this agreement. Notwithstanding this, you agree that Hollis shall still be allowed to ask"
        " other courts for an urgent ruling in a dispute.\n"
    )
    with holding(stage, {"hollis.txt": text}) as tenant:
        answered = ask(tenant, "Which courts rule on disputes with Hollis?")

    quotes = [citation["quote"] for citation in answered["citations"]]
    assert quotes[0].startswith("The courts of the county of Norland"), quotes


_OF_QUARRY: Final = (
    ("LARKMOOR_2023.txt", "Larkmoor Quarries", "19.5", "412"),
    ("LARKMOOR_2022.txt", "Larkmoor Quarries", "23.0", "388"),
    ("LARKMOORFERRY_2023.txt", "Larkmoor Ferries", "11.8", "97"),
)
_REPORT: Final = """Annual report

{name} reports on the year. The board of {name} thanks the staff.

Taxes

The effective tax rate was {rate} per cent.

Restructuring

We recognised restructuring charges of {charges} thousand, mostly severance.
"""


def test_a_report_that_says_we_answers_for_the_company_that_it_is_of(stage: Stage) -> None:
    """The file has one word of the name: each sentence was refused for lack of the others."""
    with Tenant.new(stage) as tenant:
        for source, name, rate, charges in _OF_QUARRY:
            text = _REPORT.format(name=name, rate=rate, charges=charges)
            sent = tenant.upload(text.encode(), filename=source, content_type=TEXT)
            assert tenant.outcome(sent)["outcome"] == "PUBLISHED"
        rate = ask(tenant, "What was the effective tax rate of Larkmoor Quarries in 2023?")
        older = ask(tenant, "What was the effective tax rate of Larkmoor Quarries in 2022?")
        charges = ask(tenant, "What restructuring charges did Larkmoor Ferries have in 2023?")
        other = ask(tenant, "What was the effective tax rate of Larkmoor Bakeries in 2023?")

    assert "19.5 per cent" in rate["answer"]
    assert "23.0 per cent" in older["answer"]
    assert "97 thousand" in charges["answer"]
    assert {len(one["citations"]) for one in (rate, older, charges)} == {1}
    assert other["abstained"] is not None


def test_a_command_among_steps_ends_no_list(stage: Stage) -> None:
    text = (
        "# Kiln\n\n## Cool the kiln\n\n"
        "1. Close the valve:\n\n   ```\n   kilnctl close --valve 3\n   ```\n\n"
        "2. Open the flap.\n3. Wait for the green lamp.\n\n"
        "The kiln stands in the yard. It is fired on Mondays.\n"
    )
    with holding(stage, {"kiln.md": text}) as tenant:
        answered = ask(tenant, "How do I cool the kiln?")

        assert answered["answer"] == (
            "Cool the kiln\n1. Close the valve: kilnctl close --valve 3\n2. Open the flap.\n"
            "3. Wait for the green lamp [1]."
        )
        assert_cited(tenant, answered)


FERRIES = """\
# Lorne Ferries: report of 2031

## Income statement

| Thousands of crowns | 2031 | 2030 |
|---|---|---|
| Turnover | 8,120 | 7,440 |
| Fuel | 1,910 | 1,655 |

## Figures by quarter

| Thousands of crowns | Q1 2031 | Q2 2031 | Q3 2031 | Q4 2031 |
|---|---|---|---|---|
| Turnover | 1,204 | 2,480 | 3,015 | 1,421 |
"""


@pytest.mark.parametrize(
    ("question", "says", "not_says"),
    [
        ("What was the turnover of Lorne Ferries in the third quarter of 2031?", "3,015", "8,120"),
        ("What was the turnover of Lorne Ferries in 2030?", "7,440", "3,015"),
        ("What was the turnover of Lorne Ferries in the third quarter of 2030?", "", ""),
    ],
)
def test_a_row_answers_for_the_quarters_of_its_columns(
    stage: Stage, question: str, says: str, not_says: str
) -> None:
    with holding(stage, {"lorne.md": FERRIES}) as tenant:
        answered = ask(tenant, question)

    assert (answered["abstained"] is None) is bool(says), answered["answer"]
    assert says in answered["answer"]
    assert not not_says or not_says not in answered["answer"]


def test_who_asks_what_to_do_is_given_the_list(stage: Stage) -> None:
    """The sentence before it says only when; it ends in no colon."""
    text = (
        "# Leaving the club\n\n"
        "This page is for the office, and for days on which a member leaves the club.\n\n"
        "- Collect the keys of the boat house.\n- Close the account at the bar.\n"
        "- Take the name off the list of members.\n\n"
        "The office is open on Mondays.\n"
    )
    with holding(stage, {"office.md": text}) as tenant:
        answered = ask(tenant, "What should I do when a member leaves the club?")

    for step in ("Collect the keys", "Close the account", "Take the name"):
        assert step in answered["answer"], answered["answer"]
    assert "Mondays" not in answered["answer"]


def test_steps_in_prose_come_in_order_and_he_with_whom_he_is(stage: Stage) -> None:
    text = (
        "# The hall\n\n## Lamps\n\nTo replace a lamp, first switch off the current. Then turn the"
        " old one to the left. Put in the new one.\n\nThe lamps are of glass.\n\n"
        "## Lost keys\n\nTell the caretaker at once. He blocks the key that you lost.\n\n"
        "## Courses\n\nYou book the first course at the desk. The desk is of oak. It opens at"
        " nine.\n\n## Heating\n\nTo vent a radiator, open the screw at its top. Wait until water"
        " comes out. Close the screw again. The pump is not to be touched.\n"
    )
    with holding(stage, {"hall.md": text}) as tenant:
        lamp = ask(tenant, "How do I replace a lamp?")["answer"]
        key = ask(tenant, "What happens when I lost my key?")["answer"]
        course = ask(tenant, "How do I book the first course?")["answer"]
        vent = ask(tenant, "How do I vent a radiator?")["answer"]

    assert "first switch off the current. Then turn the old one to the left. Put in" in lamp, lamp
    assert "glass" not in lamp
    assert key.startswith("Tell the caretaker at once. He blocks the key"), key
    assert "oak" not in course, course
    assert vent.endswith("Wait until water comes out. Close the screw again [1]."), vent


def test_what_one_section_says_is_not_said_of_the_section_before(stage: Stage) -> None:
    """Both stand in one passage of the second page, which begins with the first of them."""
    first_page = "The rules hold for all guests and their visitors. " * 59
    first_page += "They are read to all of them."
    shed = "They stand in the shed, whose door the caretaker opens in the morning. " * 3
    text = (
        f"# House rules\n\n{first_page}\n\n## Bicycles\n\n{shed} It is closed at ten.\n\n"
        "## Dogs\n\nThe fee is 5 euros a night.\n"
    )
    with holding(stage, {"rules.md": text}) as tenant:
        dogs = ask(tenant, "What is the fee for dogs?")
        bicycles = ask(tenant, "What is the fee for bicycles?")

    assert "5 euros" in dogs["answer"]
    assert "5 euros" not in (bicycles["answer"] or ""), bicycles["answer"]


def test_steps_are_counted_from_their_list_and_a_stated_number_is_quoted(stage: Stage) -> None:
    """A step that has a number in it ("Open both doors") does not say how many there are."""
    text = (
        "# The oven\n\nThe oven has four racks.\n\n## The filter\n\nTo replace the filter:\n"
        "1. Open both doors.\n2. Pull the old one forward.\n3. Push the other one in.\n"
    )
    with holding(stage, {"oven.md": text}) as tenant:
        steps = ask(tenant, "How many steps are required to replace the filter?")
        racks = ask(tenant, "How many racks does the oven have?")

    for step in ("Open both doors", "Pull the old one forward", "Push the other one in"):
        assert step in steps["answer"], steps["answer"]
    assert steps["note"]["kind"] == "count"
    assert "four racks" in racks["answer"]
    assert racks["note"] is None


def test_a_numbered_section_is_no_step_of_the_list_before_it(stage: Stage) -> None:
    text = (
        "# Rules of the rowing club\n\n## 3. Lending a boat\n\n1. Ask the warden.\n"
        "2. Sign the red book.\n3. Take the oars.\n\n## 4. Bar\n\nThe bar opens at six.\n"
    )
    with holding(stage, {"rules.md": text}) as tenant:
        answered = ask(tenant, "How do I lend a boat?")

    assert "1. Ask the warden.\n2. Sign the red book.\n3. Take the oars" in answered["answer"]
    assert "Bar" not in answered["answer"]


def test_what_nobody_numbered_is_left_to_be_counted_and_what_is_stated_of_another_is_not(
    stage: Stage,
) -> None:
    text = (
        "# The kiln\n\nData are exchanged with the kiln over the USB socket.\n\n"
        "Plug in the stick. Choose the curve that you want. Wait for the tone.\n\n"
        "The kiln has two doors. The wheel stands beside it.\n"
    )
    with holding(stage, {"kiln.md": text}) as tenant:
        steps = ask(tenant, "How many steps does the exchange of data over USB have?")
        doors = ask(tenant, "How many doors does the wheel have?")
        grams = ask(tenant, "How many grams does the USB socket of the kiln weigh?")

    assert "over the USB socket" in steps["answer"], steps["abstained"]
    assert steps["note"]["kind"] == "count"
    assert doors["abstained"] is not None, doors["answer"]
    assert grams["abstained"] is not None, grams["answer"]


def test_what_is_counted_and_compared_is_what_was_asked_about(stage: Stage) -> None:
    """The number of a passage is none; a list of courses does not say which one is cheaper."""
    text = (
        "# The lido\n\nThe large pool has eight lanes. The small pool is for children and has a"
        " slide. There are 120 lockers beside the showers. The lido closes at 20:00.\n\n"
        "## Courses\n\nCourses of the summer: aqua gym, diving for beginners, life saving.\n\n"
        "The aqua gym costs 45 euros. Life saving costs 60 euros. Boris and Carla teach on"
        " Sundays.\n\n"
        "In 2023 the lido sold 41,000 tickets and baked 900 waffles. In 2024 it sold 39,500"
        " tickets.\n"
    )
    with holding(stage, {"lido.md": text}) as tenant:
        showers = ask(tenant, "How many showers are there?")
        courses = ask(tenant, "How many courses are there in the summer?")
        people = ask(tenant, "How many people teach on Sundays?")
        cheaper = ask(tenant, "Which course is cheaper, aqua gym or life saving?")
        cakes = ask(tenant, "How many more cakes were sold in 2023 than in 2024?")
        slides = ask(tenant, "How many slides does the large pool have?")

    assert showers["note"] is not None, showers["answer"]
    assert courses["answer"].startswith("Courses of the summer"), courses["abstained"]
    assert people["answer"].startswith("Boris and Carla"), people["abstained"]
    assert "45 euros" in cheaper["answer"]
    assert "60 euros" in cheaper["answer"], cheaper["answer"]
    assert cheaper["note"]["kind"] == "comparison"
    for refused in (cakes, slides):
        assert refused["abstained"] is not None, refused["answer"]


def test_the_annual_fee_is_the_yearly_one_and_spring_is_no_autumn(stage: Stage) -> None:
    text = (
        "The yearly fee is 30 euros. The big hall holds 200 guests."
        " In autumn the bar closes at ten.\n"
    )
    with holding(stage, {"club.txt": text}) as tenant:
        annual = ask(tenant, "What is the annual fee?")
        large = ask(tenant, "How many guests does the large hall hold?")
        refused = [
            ask(tenant, question)
            for question in ("What is the monthly fee?", "When does the bar close in spring?")
        ]

    assert "30 euros" in annual["answer"], annual["abstained"]
    assert "200 guests" in large["answer"], large["abstained"]
    assert all(one["abstained"] is not None for one in refused), refused


def test_a_code_is_found_in_a_list_whose_top_says_what_its_codes_are(stage: Stage) -> None:
    text = (
        "# Moorings of the river authority\n\nHarbour name and mooring code\n\n## Lower river\n\n"
        "1. Herring Quay LR01\n2. Tern Quay LR02\n3. The old shipyard LR03\n\n"
        "## Upper river\n\n1. Mill Quay UR01\n2. Salt Quay UR02\n"
    )
    with holding(stage, {"moorings.md": text}) as tenant:
        known = ask(tenant, "What is the harbour name for the mooring code UR02?")
        unknown = ask(tenant, "What is the harbour name for the mooring code UR07?")

    assert known["answer"].startswith("2. Salt Quay UR02"), known
    assert unknown["abstained"] is not None, unknown["answer"]


BOATYARD: Final = """Working hours. Roles in the office may be worked from home for up to two days a
week once probation has been passed.

The forklift may be driven only by persons whom the yard master has authorised. Wearing parts are
seals, filters and belts.

If the crane cannot be used, the fee is suspended until it can be used again.

Concerns about wrongdoing may be reported in confidence to Sunniva Dahl, a member of the board.
"""


@pytest.fixture(scope="module")
def boatyard(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"boatyard.txt": BOATYARD}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many days a week can I work from home once I'm through probation?", "two days"),
        ("Who is allowed to drive the forklift truck?", "the yard master has authorised"),
        ("What counts as a wearing part?", "seals, filters and belts"),
        ("What happens to the charge when the crane is out of order?", "the fee is suspended"),
        ("Who should I contact in confidence about wrongdoing in the company?", "Sunniva Dahl"),
        ("Who is allowed to drive the delivery van?", None),
        ("What happens to the fee when the pontoon cannot be used?", None),
        ("How many months of parental leave are there?", None),
    ],
)
def test_people_ask_in_words_of_their_own(
    boatyard: Tenant, question: str, expected: str | None
) -> None:
    """S0-16. Fails when: a word that nobody listed as the same refuses a sure answer."""
    answered = ask(boatyard, question)

    assert_says(answered, expected)


ALLOTMENTS: Final = """Garden rules of the Holm allotments. Members weed the path beside their
plot every second Sunday. Water is turned off from November to March so that the pipes do not burst.

A plot that nobody has dug for a year goes to the next person on the waiting list. Bonfires are lit
on the gravel square only, and never before dusk.

The shed is locked with a code that changes each month; ask Ragna Lind for it. Hens may be kept,
six to a plot, but no cockerels.
"""


@pytest.fixture(scope="module")
def allotments(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"allotments.txt": ALLOTMENTS}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How often do I have to tidy the walkway?", "every second Sunday"),
        ("What does Ragna Lind sell?", None),  # "ask Ragna Lind" has her name
        ("When is the water of the pond turned off?", None),
        ("Who weeds the paths of the car park?", None),
        ("Is it fine to light a fire in the morning?", "never before dusk"),  # .13 of relevance
        ("May I keep ducks on my plot?", None),
        ("How often does the code of the gate change?", None),
        ("How many rabbits may be kept?", None),
        ("Where may fireworks be lit?", None),
    ],
)
def test_what_answers_is_told_from_what_shares_its_words(
    allotments: Tenant, question: str, expected: str | None
) -> None:
    """S0-16. Fails when: nobody is asked who was taught to tell an answer from a near miss."""
    answered = ask(allotments, question)

    assert_says(answered, expected)
    if expected is not None:
        trace = allotments.get(f"/traces/{answered['trace_id']}")
        assert 0.4 <= trace["answer"]["checks"]["chance"] <= 1


def test_a_search_finds_what_is_said_in_other_words_too(allotments: Tenant) -> None:
    """Of relevance .13 to the reranker. Fails when: only `/ask` asks who was taught."""
    found = allotments.post("/search", {"query": "Is it fine to light a fire in the morning?"})

    assert found["abstained"] is None
    assert "never before dusk" in found["chunks"][0]["content"]


def test_a_question_that_names_nothing_is_not_answered_by_whatever_is_there(stage: Stage) -> None:
    text = (
        "The deposit for the hall is 200 euros. Quiet hours are from 22:00 to 07:00."
        " Vitamin C tablets are at the desk."
    )
    with holding(stage, {"rules.txt": text}) as tenant:
        for question in ("the", "When?", "c", "Und?"):
            answered = ask(tenant, question)
            assert answered["abstained"] is not None, (question, answered["answer"])
        assert "200 euros" in ask(tenant, "deposit")["answer"]  # one word can be a question


def test_without_a_model_a_follow_up_is_read_by_its_form(stage: Stage) -> None:
    """A few words after a question named nothing to look for."""
    rules = "Dogs need the written consent of the landlady. Cats may be kept without asking."
    with holding(stage, {"pets.txt": rules}) as tenant:
        told = {"conversation_id": str(uuid4())}

        tenant.post("/ask", {"question": "Are dogs allowed?"} | told)
        second = tenant.post("/ask", {"question": "And cats?"} | told)
        left = tenant.post("/ask", {"question": "And cats?", "rewrite": False} | told)

    assert second["rewritten_question"] == "Are cats allowed?"
    assert "Cats may be kept without asking" in second["answer"], second["abstained"]
    assert left["rewritten_question"] is None


PRICES: Final = """# Prices

| Article | Unit | Price EUR | Delivery time |
| --- | --- | --- | --- |
| Oak floorboard | m2 | 64.50 | 2 weeks |
| Pine floorboard | m2 | 31.90 | 3 days |
| Bamboo floorboard | m2 | 48.00 | 4 weeks |
| Hard wax oil | can | 79.90 | 3 days |
"""


def test_of_several_that_are_asked_for_every_row_is_shown(stage: Stage) -> None:
    with holding(stage, {"prices.md": PRICES}) as tenant:
        answer = ask(tenant, "List all floorboards.")

    for row in ("Oak", "Pine", "Bamboo"):
        assert f"{row} floorboard" in answer["answer"], answer["abstained"]
    assert "wax" not in answer["answer"]


def test_one_clause_answers_without_those_beside_it(stage: Stage) -> None:
    """The whole page was quoted, as the list whose items its clauses are."""
    clauses = (
        "Use of the flat\n\n"
        "4. Keys. The tenants receive two keys to the front door and one to the cellar.\n"
        "5. Pets. Cats may be kept without asking. Dogs need the written consent of the landlady.\n"
        "6. Subletting. The tenants may not sublet the flat or single rooms.\n"
    )
    with holding(stage, {"flat.txt": clauses}) as tenant:
        answer = ask(tenant, "Do dogs need permission?")

    assert "Dogs need the written consent" in answer["answer"], answer["abstained"]
    assert "sublet" not in answer["answer"]


MINUTES: Final = """# Minutes of the Parish Council

Held on Tuesday 14 October 2025 at 7.30 pm in the Reading Room.

Present: Anne Barlow (Chair), Tom Reeve, Sunita Mehta, and the Clerk, Judith Orme.

Apologies: David Knott and Ruth Hale.

## Playground

Tom Reeve reported that the swing is broken. Work starts on 3 November and takes two weeks.

## Date of the next meeting

Tuesday 11 November 2025 at 7.30 pm. The meeting closed at 9.05 pm.
"""


@pytest.fixture(scope="module")
def council(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"minutes.md": MINUTES}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Who attended?", "Sunita Mehta"),
        ("When is the next meeting?", "11 November"),
        ("When did the meeting end?", "closed at 9.05 pm"),
        ("tl;dr", "Minutes of the Parish Council"),
        ("summary", "Minutes of the Parish Council"),
    ],
)
def test_members_are_told_what_the_minutes_say(council: Tenant, question: str, says: str) -> None:
    """S0-16. Fails when: what says all of its heading's question is passed over for one more word.

    The date of the next meeting is no sentence, and stands below its heading; the sentence behind
    it has "meeting" in it.
    """
    answer = ask(council, question)

    assert says in answer["answer"]


def test_who_was_present_is_not_said_of_who_was_absent(council: Tenant) -> None:
    answer = ask(council, "Who was absent?")

    assert "Barlow" not in answer["answer"]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Who attended?", "The filters leave no document that can be searched."),
        (
            "Wer hat an der Sitzung teilgenommen?",
            "Hier gibt es kein Dokument, das durchsucht werden kann.",
        ),
    ],
)
def test_a_filter_that_leaves_no_document_is_not_said_of_what_documents_contain(
    council: Tenant, question: str, says: str
) -> None:
    answer = ask(council, question, filters={"year": 1999})

    assert answer["abstained"]["reason"] == "NO_DOCUMENTS"
    assert answer["answer"] == says


NUMBERED_SECTIONS: Final = """The lock of the gate

7.1.3 Before you begin
Have the red key and the card of the porter at hand before anything is changed at the gate.
7.1.4 Opening hours
gatekeeper opens the eastern gate each morning at half past six, and closes it at nine in the
evening.
"""


def test_the_heading_of_a_section_is_no_part_of_the_sentence_below_it(stage: Stage) -> None:
    """The name of a program begins that sentence, in small letters."""
    with holding(stage, {"gate.txt": NUMBERED_SECTIONS}) as tenant:
        answered = ask(tenant, "When does gatekeeper open the eastern gate in the morning?")

    assert_says(answered, "gatekeeper opens the eastern gate each morning at half past six")
    assert "7.1.4" not in answered["answer"]


LEANING: Final = """Settings of the ferry program

--quiet-harbour
  By default a bell is rung in every harbour. If this option is given, no bell is rung between
  ten in the evening and six in the morning.

The tide table is read when the program starts. After a few seconds three lamps blink. This means
that the table was read without errors.

Harbour Clerk is the program with windows. It lets you move berths and print the list of guests.
It is possible to change the colours of its windows in the file clerk.conf.

Do guests have to wear a helmet on deck?
No. But long hair of guests has to be tied up on deck.
"""


@pytest.fixture(scope="module")
def ferry(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"ferry.txt": LEANING}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("What means that the table was read without errors?", "three lamps blink", "bell"),
        ("With which program can I print the list of guests?", "Harbour Clerk", "lamps"),
        ("Is a bell rung in the evening if the option is given?", "--quiet-harbour", "lamps"),
        ("In which file are the colours of the windows changed?", "clerk.conf", "berths"),
        ("Do guests have to wear a helmet on deck?", "No. But long hair", "lamps"),
    ],
)
def test_a_sentence_that_leans_on_the_one_before_is_said_with_it(
    ferry: Tenant, question: str, said: str, unsaid: str
) -> None:
    answered = ask(ferry, question)

    assert_says(answered, said)
    assert unsaid not in answered["answer"]
    assert_cited(ferry, answered)


PROGRAMME: Final = """# Lade folk weekend

## Friday 28 May

| Time | What | Where | Notes |
| --- | --- | --- | --- |
| 18:00 | Opening dance | Guild hall | with the Weir Hoppers |
| 22:00 | Open session | Black Bull | |

## Saturday 29 May

| Time | What | Where | Notes |
| --- | --- | --- | --- |
| 10:00 | Clog workshop | School gym | bring hard shoes |
| 19:30 | Concert: Brack & Thorn | Guild hall | interval 20 min, bar |

## Sunday 30 May

| Time | What | Where | Notes |
| --- | --- | --- | --- |
| 10:30 | Harp for beginners | Chapel | book at the desk |
| 13:00 | Farewell picnic | the Green | in rain: Guild hall |
"""
SYRUP: Final = """# Leaflet of the syrup Malvin

| Age | Single dose |
| --- | --- |
| 3 to 5 months | 2.5 ml |
| 6 to 11 months | 3 ml |
| 1 to 3 years | 5 ml |
| 4 to 6 years | 7.5 ml |
"""


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What's on in the Guild hall on Saturday?", "Brack & Thorn"),
        ("What's on in the Guild hall on Friday?", "Opening dance"),
        ("Which band plays on Sunday evening at the folk weekend?", None),
        ("How much Malvin does a 5 year old get?", "4 to 6 years"),
        ("How much Malvin is given at 8 months?", "6 to 11 months"),
        ("How much Malvin is given to a child of 12 years?", None),
    ],
)
def test_a_row_is_of_the_day_over_its_table_and_of_ages_in_months_or_years(
    leaflets: Tenant, question: str, row: str | None
) -> None:
    """Who is twelve years old is not told the dose of 6 to 11 months."""
    answered = ask(leaflets, question)

    assert_says(answered, row)
    assert row is None or "\n" not in answered["answer"]


@pytest.fixture(scope="module")
def leaflets(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"programme.md": PROGRAMME, "malvin.md": SYRUP}) as tenant:
        yield tenant
