"""Questions that one of their words misled, with a sentence that answers or one that does not."""

import pytest

from pulsedocs.answering.asked.judging import judged, names_another
from pulsedocs.answering.asked.kinds import counts_others, missing_kind
from pulsedocs.answering.asked.match import SentenceInContext
from pulsedocs.answering.asked.parts import asked_apart, one_by_one
from pulsedocs.answering.asked.ranges import in_range_of
from pulsedocs.answering.extractive.extract import missing_years
from pulsedocs.answering.reading import reading_of
from pulsedocs.model.answers import Reading
from tests.unit.answering.blocks import block


def on_a_page(sentence: str, page: str = "") -> SentenceInContext:
    return SentenceInContext(sentence, "", passage=sentence, page=f"{sentence} {page}")


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "What should I do if the door does not open?",
            "If the door fails to open, press the red button.",
        ),
        (
            "When the alarm sounds, where does everybody go?",
            "Everybody goes to the car park at the sound of the alarm.",
        ),
        (
            "How long does it take to drill a hole?",
            "Drilling a hole 12 mm wide takes two minutes.",
        ),
        ("How fast must damage be reported?", "Damage must be reported within 24 hours."),
        (
            "Who signs for orders above 1500 euros?",
            "The director signs for orders above 1,500 euros.",
        ),
        (
            "Wer zeichnet Bestellungen \u00fcber 1.500 Euro?",
            "Bestellungen \u00fcber 1500 Euro zeichnet die Direktorin.",
        ),
        ("When is the shop open?", "The shop opens at nine and closes at six."),
        ("How much does parking cost?", "Parking costs nothing."),
        ("Combien co\u00fbte l'entr\u00e9e ?", "L'entr\u00e9e est gratuite pour les enfants."),
        ("Was kostet der Eintritt?", "Der Eintritt ist kostenfrei."),
        ("How many pounds is the fee?", "The fee is \u00a35."),
        ("At what temperature is the room kept?", "The room is kept at 20 C."),
        ("Was the rent not increased?", "The rent was increased in 2020."),
        ("When does the lease end?", "The lease begins on 1 May and runs for two years."),
        ("When are the lamps switched off?", "The lamps are switched on at six and off at ten."),
        (
            "When is the water turned off?",
            "Water is turned on in the last week of March and off in the first week of November.",
        ),
        ("How do I turn off the water?", "To turn off the water, turn the tap on the wall."),
        ("What is included in the price?", "Lunch is included in the price, drinks are excluded."),
        ("How do I unlock the shed?", "Unlock the shed with the key to the locks."),
        ("Wann wird die Heizung abgestellt?", "Die Heizung wird am 1. Mai abgestellt."),
        ("How heavy may a parcel be?", "The counter takes parcels of up to 20 kg."),
        ("How often does the ferry go?", "The ferry goes every hour."),
        ("Wie oft f\u00e4hrt die F\u00e4hre?", "Die F\u00e4hre f\u00e4hrt st\u00fcndlich."),
        ("Ogni quanto parte il traghetto?", "Il traghetto parte ogni ora."),
        ("How long should the glue dry?", "The glue should dry overnight."),
        ("What is the default of cache.ttl?", "The default of cache.ttl is 30 s, see cache.size."),
        ("What should I do with an old .lanterns file?", "Remove an old .lanterns file."),
        ("How do I print a .pdf file?", "To print a .pdf file, press P; see page.size."),
        ("How much is the fuel load?", "The fuel load is 40 litres."),
        ("How many days do I get off?", "You get 25 days on top of public holidays."),
        ("What do the staff do on Sundays?", "The staff have Sundays off."),
        ("What year was the factory built in?", "The factory was laid out and built in 1890."),
        ("Which floor is the office on?", "The office is off the corridor on the third floor."),
        ("How do I turn the alarm off?", "Turn the key left; the alarm is on the wall."),
        ("What costs a room with breakfast?", "A room costs 80 without breakfast and 95 with it."),
        ("How much is the annual rainfall?", "The annual rainfall is 800 mm."),
        ("When did the project end?", "The project started in 2019 and was completed in 2021."),
        ("What does it weigh with the lid?", "It weighs 3 kg without and 5 kg with the lid."),
        ("What does it cost with Lid Light?", "Without lid: 90 euros, Lid Light: 40 euros."),
        ("Can I enter without a ticket?", "You enter with a ticket."),
        ("Wann fand die Wahl statt?", "Die Wahl war am 3. Mai."),
        ("Quand a lieu le vote ?", "Le vote est le 3 mai."),
        ("Was kosten denn jetzt die Boote?", "Die Boote kosten 4 Euro."),
        ("Was zahlt die Kasse f\u00fcrs Hotel?", "Die Kasse zahlt das Hotel."),
        ("Wie laut ist der Ofen?", "Der Ofen hat 42 dB(A)."),
        ("Wie lange vor dem Umzug?", "Vor dem Umzug bis zum Ablauf eines Monats."),
        ("Qui \u00e9tait absent au vote ?", "Excus\u00e9 au vote : M. Guillot."),
        ("\u00c0 quelle heure ferme le bain le lundi ?", "Le bain, lundi : 10 h - 19 h"),
        ("When does the pool close?", "Pool: 9 am to 6 pm"),
        ("Wo stehen die Boote?", "Die Boote stehen an der Wand."),
        ("Wer kam zur Wahl?", "Zur Wahl kam nur Fr. Yilmaz."),
        ("Wo ist der Gerichtsstand?", "Der Gerichtsstand ist Jena."),
    ],
)
def test_an_answer_is_not_refused(question: str, sentence: str) -> None:
    match = judged(question, on_a_page(sentence), likeness=None)

    assert match.is_met, match
    assert not names_another(question, match, sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When does the course end?", "The course begins on 3 May."),
        ("What is the lowest temperature?", "The highest temperature is 40 \u00b0C."),
        ("Wann schlie\u00dft das Bad?", "Das Bad \u00f6ffnet um acht Uhr."),
        ("What does Annex B contain?", "Annex A contains the inventory."),
        ("How much is the rent?", "The rent is due in advance."),
        ("When is the pool cleaned?", "Only the caretaker may clean the pool."),
        ("What colour is the rotor cover?", "The rotor cover is for rotation only."),
        ("How long does delivery take?", "Delivery is handled by an outside carrier."),
        ("Where is the meeting?", "The meeting lasts 90 minutes."),
        ("When are the lamps switched on?", "The lamps are switched off at midnight."),
        ("When is the water turned off?", "The water is turned on in the first week of April."),
        (
            "When is the water turned off?",
            "Water is turned on in the last full week of March and on working days only.",
        ),
        ("How do I turn the alarm off?", "To turn the alarm on, press twice."),
        ("When do guests check out?", "Guests check in at reception from 3 p.m."),
        ("When does the trainer lock the gym?", "The trainer unlocks the gym at 6:30."),
        ("What does the state import?", "The state exports wheat."),
        ("When was the shop closed?", "The shop was opened in 1998."),
        ("Wann wird das Licht eingeschaltet?", "Das Licht wird um 22 Uhr ausgeschaltet."),
        ("Wann zieht der Mieter ein?", "Der Mieter zieht am 3. Mai aus."),
        ("How much is the blood test?", "The blood test takes ten minutes."),
        ("Where is the key deposit returned?", "The key deposit is returned at the end."),
        ("What is the default of cache.ttl?", "The default of cache.size is 64 MB."),
        ("How often does version 3.0 retry?", "Version 2.0 retries 30 times."),
        ("What does /invoices return?", "The endpoint /orders returns invoices."),
        ("What does the oven weigh with the lid?", "Weight of the oven without lid: 31 kg."),
        ("Wie viel wiegt der Ofen ohne den Deckel?", "Mit Deckel wiegt der Ofen 31 kg."),
        ("Wie laut ist der Ofen?", "Der laute Ofen hat 3 Platten."),
        ("Ist der Ofen laut?", "Der Ofen ist neu."),
        ("Was zahle ich f\u00fcr das Boot?", "Das Boot zahle ich im Mai."),
        ("Welchen Betrag hat die Miete?", "Die Miete zahlt man in drei Raten."),
        (
            "Combien de salari\u00e9s a la r\u00e9gie ?",
            "Les salari\u00e9s de la r\u00e9gie ont 6 800 \u20ac.",
        ),
        ("Wo stehen die Boote?", "Die Boote stehen sechs Stunden, mit 5 \u20ac Pfand je Boot."),
    ],
)
def test_the_other_of_two_is_no_answer(question: str, sentence: str) -> None:
    assert not judged(question, on_a_page(sentence), likeness=None).is_met


@pytest.mark.parametrize(
    ("question", "sentence", "is_told"),
    [
        ("When does the shop close on Saturday?", "It stays closed on Sundays.", False),
        ("When does the shop close on Saturday?", "On Saturdays it closes at six.", True),
        ("When does the shop open on Wednesday?", "Mon - Fri 8-18, Saturday 9-13.", True),
        ("When does the boat sail on Sunday?", "It sails daily except Saturday.", True),
        ("When does the boat sail on Monday?", "Weekday: Friday, Boat: 9:00.", False),
        ("When does the boat sail on Monday?", "Every weekday at 9, on Saturday at 10.", True),
        ("Is the shop open on Thursday?", "On Sundays the shop is free for all.", False),
        ("May I drill on Saturday?", "On Sundays drilling is forbidden.", True),
        ("Hoe laat gaat de winkel zaterdag dicht?", "Op zondag is de winkel gesloten.", False),
        ("\u00bfA qu\u00e9 hora abre el s\u00e1bado?", "El mi\u00e9rcoles abre a las 9.", False),
        ("A che ora apre il luned\u00ec?", "Il luned\u00ec apre alle 9.", True),
        ("Wann ist samstags offen?", "Sonnabends ist von 8 bis 12 Uhr offen.", True),
    ],
)
def test_what_is_said_of_another_weekday_tells_nothing(
    question: str, sentence: str, *, is_told: bool
) -> None:
    assert missing_kind(question, on_a_page(sentence)) == (None if is_told else "weekday")


@pytest.mark.parametrize(
    ("question", "sentence", "is_there"),
    [
        ("What is Anna Berg's email?", "Anna Berg sits in room 204.", False),
        ("What is Anna Berg's email?", "Anna Berg: anna@berg.example.", True),
        ("What is sent by email?", "Invoices are sent by email.", True),
        ("How long is the ferry?", "It leaves at 13:30.", False),
        ("How long is the ferry?", "It is 48 m long.", True),
        ("How long is the wait?", "About an hour.", True),
        ("How long is the report?", "It has 12 pages.", True),
        ("How long is the shop open?", "From 8:00 to 18:30.", True),
        ("How long must a rope be?", "A rope is 40 metres long.", True),
        ("How long must the notice be at least?", "Notice is three months.", True),
        ("How long may a rope be kept?", "A rope is 40 metres long.", False),
        ("How long is the key?", "Keys have 256 bits.", True),
        ("How long must the salt be?", "It takes 32 bytes.", True),
        ("How long are blocks?", "Each of 16 KiB.", True),
        ("How long is the wait?", "A bit, as gate 7 opens late.", False),
        ("How long does a password have to be?", "It has at least 12 characters.", True),
        ("How long is a key kept?", "Keys have 256 bits.", False),
        ("How long is a key kept?", "Keys are kept for a year.", True),
        ("How long is the cached key?", "Keys have 256 bits.", True),
        ("How long are stored keys kept?", "Keys have 256 bits.", False),
    ],
)
def test_an_address_and_a_length_are_what_they_are_called(
    question: str, sentence: str, *, is_there: bool
) -> None:
    assert (missing_kind(question, on_a_page(sentence)) is None) is is_there


_CANCELLING = "If you cancel {} before arrival, half of the deposit is kept."


@pytest.mark.parametrize(
    ("days", "given", "is_met"),
    [
        ("2 to 6 days", "3 days", True),
        ("2 to 6 days", "7 days", False),
        ("at least 7 days", "10 days", True),
        ("at least 7 days", "3 days", False),
        ("more than 7 days", "8 days", True),
        ("up to 6 days", "3 days", True),
        ("less than 6 days", "5 days", True),
        ("2 to 6 weeks", "3 days", False),
        ("6 to 2 days", "3 days", True),
        ("6 to 2 days", "1 day", False),
    ],
)
def test_a_figure_is_said_by_a_range_that_holds_it(days: str, given: str, *, is_met: bool) -> None:
    question = f"If I cancel {given} before arrival, how much of the deposit is kept?"
    match = judged(question, on_a_page(_CANCELLING.format(days)), likeness=None)

    assert match.is_met is is_met


def test_a_range_ends_before_the_figure_that_it_goes_beyond() -> None:
    for days in ("more than 7 days", "less than 7 days", "less than 0 days"):
        assert in_range_of(_CANCELLING.format(days), "And 7 days before?") == "And 7 days before?"


def test_a_closed_question_is_answered_by_the_other_of_two() -> None:
    sentence = on_a_page("The office closes at noon on Sunday.")

    assert missing_kind("Does the office open on Sunday?", sentence) is None


def test_what_is_left_somewhere_does_not_depart() -> None:
    sentence = on_a_page("On arrival, luggage is stored behind the desk.")

    assert missing_kind("Where can I leave my luggage?", sentence) is None


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When do I get my deposit back?", "The deposit is returned within a month."),
        ("Who repairs the light?", "The caretaker repairs the lamp."),
    ],
)
def test_a_word_that_is_rarely_one_of_two_may_be_said_otherwise(
    question: str, sentence: str
) -> None:
    assert not judged(question, on_a_page(sentence), likeness=None).firm


@pytest.mark.parametrize(
    ("sentence", "is_another"),
    [
        ("A replacement key costs 15 euros; ask at the front desk.", False),
        ("The landlord pays for a replacement key.", True),
    ],
)
def test_only_what_a_party_excludes_is_another(
    sentence: str,
    is_another: bool,  # noqa: FBT001 -- what the sentence is
) -> None:
    question = "What does the tenant pay for a replacement key?"
    match = judged(question, on_a_page(sentence, "The tenant has two keys."), likeness=None)

    assert names_another(question, match, sentence) is is_another


def test_who_was_present_was_not_absent() -> None:
    """The page names those who were absent, by another word."""
    sentence = "Present: Anne Barlow and Tom Reeve."
    page = on_a_page(sentence, "Apologies: David Knott.")

    match = judged("Who was absent?", page, likeness=None)

    assert names_another("Who was absent?", match, sentence)


def test_the_best_is_not_the_worst_though_its_page_does_not_say_which_is() -> None:
    question, sentence = "Who did worst in the race?", "The Heron did best in the race."

    match = judged(question, on_a_page(sentence, "The Gull came last."), likeness=None)

    assert names_another(question, match, sentence)


@pytest.mark.parametrize(
    ("asked", "said"), [("single", "double"), ("indoor", "outdoor"), ("incoming", "outgoing")]
)
def test_of_two_that_exclude_each_other_the_one_is_not_the_other(asked: str, said: str) -> None:
    question, sentence = f"What is the charge for {asked} lots?", f"For {said} lots it is 9 euros."

    match = judged(question, on_a_page(sentence, "Lots are sold."), likeness=None)

    assert names_another(question, match, sentence)


def test_a_time_of_day_may_be_meant_by_the_next_on_a_page_without_it() -> None:
    question, sentence = "Who helps in the evening?", "Ward 14 helps at night."

    match = judged(question, on_a_page(sentence, "The nurses help by day."), likeness=None)

    assert not names_another(question, match, sentence)


def test_a_name_may_stand_anywhere_on_its_page() -> None:
    question, sentence = "When is the hall in Burwell open?", "The hall in Alton is open at nine."

    match = judged(question, on_a_page(sentence, "The office is in Burwell."), likeness=None)

    assert not names_another(question, match, sentence)


@pytest.mark.parametrize(
    ("question", "sentence", "page"),
    [
        (
            "Is the train or the plane used for 300 km?",
            "Within 500 km the train is taken instead of the plane.",
            "",
        ),
        (
            "How much did the society earn in 2025?",
            "Income was 8,420 euros.",
            "Tom Becker presented the accounts for 2025.",
        ),
    ],
)
def test_a_measure_and_the_year_of_a_page_name_nothing_else(
    question: str, sentence: str, page: str
) -> None:
    match = judged(question, on_a_page(sentence, page), likeness=None)

    assert not names_another(question, match, sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How much did the society earn in 2025?", "Income was 8,420 euros in 2024."),
        ("What does error 288 mean?", "Error 188: the boiler is too hot."),
        ("What does unit 9 pay for the roof?", "The roof of unit 7: 9,000 euros to pay."),
        ("Who teaches pupils of year 9?", "Ann Bell teaches pupils of year 7."),
        ("Who mends the nets in week 5?", "Ann Bell mends the nets in week 3."),
    ],
)
def test_another_year_or_number_names_another(question: str, sentence: str) -> None:
    match = judged(question, on_a_page(sentence, "2025"), likeness=None)

    assert names_another(question, match, sentence)


@pytest.mark.parametrize(
    ("sentence", "is_met"),
    [
        ("Revenue was $1.46 billion, up 19% from fiscal 2024.", False),
        ("In 2025 revenue grew by 12 per cent compared with 2024.", False),
        ("Revenue was 3 % higher than in 2024.", False),
        ("Revenue was $1.46 billion, up from $1.2 billion in 2024.", True),
        ("Revenue rose by 4 % in 2024, 2 % less than in 2023.", True),
        ("Revenue is shared with the towns from 2024.", True),
        ("Revenue grew by 4 % on 2024, as it did before.", False),
        ("More of the revenue stays with the towns from 2024.", True),
        ("Revenue grew strongly over the year 2024 and reached $1.2 billion.", True),
        ("Revenue grew by 4 % over the year 2024 and reached $1.2 billion.", True),
        ("A change in revenue was voted on in March 2024.", True),
    ],
)
def test_a_year_that_a_figure_is_measured_against_is_not_its_own(
    sentence: str, *, is_met: bool
) -> None:
    match = judged("What was revenue in 2024?", on_a_page(sentence), likeness=None)
    assert ("2024" not in match.unmet) == is_met
    growth = judged("How did revenue change from 2024?", on_a_page(sentence), likeness=None)
    assert "2024" not in growth.unmet


@pytest.mark.parametrize(("asked", "other"), [("A", "B"), ("B", "A"), ("C", "B")])
@pytest.mark.parametrize("house", ["building", "Geb\u00e4ude"])
def test_a_letter_tells_one_thing_from_another(house: str, asked: str, other: str) -> None:
    """An article is no such letter, nor does a page mean a building by naming it elsewhere."""
    question = f"On which Monday is {house} {asked} cleaned?"
    beside = f"There is a lift in {house} {asked}."
    found = [
        (one, judged(question, on_a_page(text, beside), likeness=None), text)
        for one in (asked, other)
        for text in [f"On a Monday {house} {one} is cleaned."]
    ]

    assert [match.unmet == () for _, match, _ in found] == [True, False]
    assert [names_another(question, match, text) for _, match, text in found] == [False, True]
    assert found[1][1].firm


@pytest.mark.parametrize("question", ["Les chiens sont-ils admis ?", "Braucht man einen Helm?"])
def test_what_is_asked_by_yes_or_no_is_said_so_once(question: str) -> None:
    assert reading_of(question) is Reading.YES_NO


@pytest.mark.parametrize(
    "question",
    [
        "Who pays for water or heating?",
        "Who may speak to the media?",
        "Combien de temps le gardien garde-t-il les colis ?",
    ],
)
def test_nothing_is_compared_or_added_by_accident(question: str) -> None:
    assert reading_of(question) is None


def test_a_letter_joins_nothing_in_english() -> None:
    assert one_by_one("What is in Annex E of the lease?") == []
    assert asked_apart("What stands in Annex E how long it lasts?") == []


def test_a_weight_is_no_year() -> None:
    passage = block(1, "The maximum load is 2,000 kg.")

    assert missing_years("Can I load 2000 kg?", [passage]) == frozenset()
    assert missing_years("How much was loaded in 2000?", [passage]) == {"2000"}


def test_a_file_named_behind_a_point_is_not_a_word_that_may_be_said_otherwise() -> None:
    asked = "What should I do with an old .lanterns file?"

    assert judged(asked, on_a_page("You keep an old file."), likeness=None).kind == "identifier"
    assert judged(asked, on_a_page("You remove .lanterns."), likeness=None).kind is None


@pytest.mark.parametrize(
    ("question", "sentence", "is_counted"),
    [
        ("How many lorries does the Kestrel take?", "The Kestrel takes 310 cars.", False),
        ("How many cars does the Kestrel take?", "The Kestrel takes 310 cars.", True),
        ("How many words does it know?", "It knows fourteen languages.", False),
        ("How many people does the hostel sleep?", "The hostel sleeps forty pupils.", True),
        ("How many animals has the farm?", "The farm has 12 cows.", True),
        ("How many cleaners are there?", "The cleaners stay until the end of 2027.", False),
        ("How many days of holiday do we get?", "We rest ten hours in any day.", False),
        ("How many days may I keep a book?", "A book is lent for three weeks.", True),
        ("How many hours do we rest?", "We rest ten hours in any day.", True),
    ],
)
def test_a_number_of_something_else_does_not_say_how_many(
    question: str,
    sentence: str,
    is_counted: bool,  # noqa: FBT001 -- a parameter of the test
) -> None:
    lacks = missing_kind(question, on_a_page(sentence)) is not None
    assert (lacks or counts_others(question, sentence)) is not is_counted
