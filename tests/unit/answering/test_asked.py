"""A sentence answers only what it, or what governs it, speaks of."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pytest

from pulsedocs.answering.asked.judging import judged, says_more
from pulsedocs.answering.asked.match import (
    FEW_TERMS,
    Likeness,
    QuestionMatch,
    SentenceInContext,
)
from pulsedocs.answering.asked.parts import asked_apart
from pulsedocs.answering.asked.things.money import MONEY
from pulsedocs.answering.governing import in_context
from pulsedocs.answering.languages import language_of
from pulsedocs.answering.passages import Words, sentences_of
from pulsedocs.answering.tables import row_of
from tests.unit.answering.blocks import block

_SAME = {
    frozenset(("dog", "pets")),
    frozenset(("dogs", "pets")),
    frozenset(("wages", "salary")),
    frozenset(("bike", "bicycles")),
    frozenset(("landlord", "tenant")),
    frozenset(("hund", "kleintiere")),
    frozenset(("bicycles", "bikes")),
    frozenset(("revenue", "profit")),
    frozenset(("fahrrad", "bicycle")),
    frozenset(("repariert", "repaired")),
    frozenset(("reparieren", "repaired")),
    frozenset(("schwimmbad", "pool")),
    frozenset(("ventil", "valve")),
    frozenset(("gewechselt", "changed")),
    frozenset(("six", "eight")),
    frozenset(("sechs", "acht")),
    frozenset(("tar", "pitch")),
    frozenset(("seigle", "orge")),
}


def nearest(word: str, others: Sequence[str]) -> float:
    return float(any(frozenset((word.lower(), other.lower())) in _SAME for other in others))


LIKENESS: Final = Likeness(nearest, same=1.0, across=0.5)


def match(question: str, sentence: str, *, governing: str = "", passage: str = "") -> QuestionMatch:
    given = SentenceInContext(sentence, governing, passage or sentence)
    return judged(question, given, likeness=LIKENESS)


PAIRS: Final = """
The skating rink asks for a deposit of 20 euros.
    What deposit does the [skating rink | sauna] ask for?
The footbridge was painted in 1971.
    When was the [footbridge | viaduct] painted?
The sensor TX-210 measures humidity.
    What does the sensor [TX-210 | TX-310] measure?
In 2031 the zoo counted 900 guests.
    How many guests did the zoo count in [2031 | 2029]?
The night bus to Arendal leaves at two.
    When does the night bus to [Arendal | Narvik] leave?
The oven takes 16 g of salt.
    How many grams of [salt | sugar] does the oven take?
The kiosk was founded by Jon Ruud.
    [Who founded | When did they found] the kiosk?
The queue for a berth is two years long.
    How long must one queue for a [berth | locker]?
The barge carries up to nine hundred crates.
    How [many crates does the barge carry | tall is the barge]?
The jetty is closed on public holidays.
    [When is the jetty closed | What colour is the jetty]?
Guests moor behind the boat shed.
    [Where do guests | How much does it cost guests to] moor?
Der Kamin wird im Oktober gefegt.
    Wann wird der [Kamin | Keller] gefegt?
Die Kaution f\u00fcr den Saal betr\u00e4gt 90 Euro.
    Wie hoch ist die Kaution f\u00fcr [den Saal | die Halle]?
La fianza de la sala es de 90 euros.
    \u00bfDe cu\u00e1nto es la fianza de la [sala | piscina]?
Der Mieter zahlt eine Kaution von drei Kaltmieten.
    Wie hoch ist die [Kaution | Kaltmiete]?
Sch\u00e4den an der Heizung meldet er der Hausverwaltung.
    Wem melde ich einen [Heizungsschaden | Dachschaden]?
Der Mieter streicht die W\u00e4nde jedes Jahr.
    Wann wird [gestrichen | gefegt]?
Le chien de garde dort dans la cour.
    O\u00f9 dort le [chien | chat] de garde ?
The sauna has a 3-day break in May.
    When is the [three-day | five-day] break of the sauna?
Release 4.1 of the ferry's timetable came in March, 3.2 in May and 4.6 in June.
    When did release [4.6 | 3.6] of the ferry's timetable come?
The guard feeds the seals at noon.
    When does the guard feed the [seals | cats] himself?
A dial at 0 disables the lamp.
    How is the lamp switched [off | on]?
Schalten Sie die Lampe am Abend ein.
    Wann wird die Lampe [eingeschaltet | deaktiviert]?
Poles are there to hold the nets.
    What do the [poles | masts] serve for?
The summer fair is behind the mill.
    Where does the [summer | winter] fair take place?
Le courrier passe aux bureaux \u00e0 midi.
    Quand le courrier passe-t-il aux [bureaux | ateliers] ?
The loft has a room with eight beds.
    Where is a room with [eight | six] beds?
Im Turm gibt es acht Betten.
    Wo gibt es [acht | sechs] Betten?
Each rower may draw nine barrels of pitch.
    How many barrels of [pitch | tar] may each rower draw?
Le silo contient 90 kilos de seigle.
    Combien de kilos [de seigle | d'orge] contient le silo ?
The Harbour Office for Rowers, HOR, lends boats.
    What does [HOR | HAR] stand for?
The seals eat 90 herrings a day.
    How many [herrings do the seals eat | seals are there]?
"""
"""Sentences, each below it with a question that it answers of the first of two things."""
_OF_TWO: Final = re.compile(r"\[(.*) \| (.*)\]")


@pytest.mark.parametrize(("sentence", "question"), re.findall(r"(.+)\n    (.+)", PAIRS))
def test_the_counterpart_is_answered_and_the_near_miss_is_not(sentence: str, question: str) -> None:
    """T-25."""
    own, other = (_OF_TWO.sub(rf"\{which}", question) for which in (1, 2))

    assert match(own, sentence).is_met
    assert not match(other, sentence).is_met


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("May I keep a dog?", "Pets need the consent of the owner."),
        ("When do I get my salary?", "Wages are paid on the last day of the month."),
        ("What types of servises are covered?", "Three services are covered."),
        ("How many people fit in?", "The lift fits 8 persons."),
        ("When is rent due, and are cats allowed?", "Rent is due on the third day."),
        ("Ist das Schwimmbad geschlossen?", "The pool is closed for cleaning, as it was."),
        ("\u79df\u91d1\u662f\u591a\u5c11", "\u6bcf\u6708\u4e00\u5343\u5143\u3002"),
        ("O\u00f9 faut-il garder les rames ?", "Les rames se gardent sous le pont."),
        ("Dov'\u00e8 custodita la canoa?", "La canoa \u00e8 custodita nella rimessa."),
        (
            "\u00bfQu\u00e9 d\u00eda est\u00e1 cerrado el taller?",
            "El taller cierra, est\u00e1 cerrada la puerta, los lunes.",
        ),
        (
            "Em que dia \u00e9 fechado o est\u00e1dio?",
            "O est\u00e1dio fecha \u00e0s segundas, dia 1.",
        ),
        ("Quanto costa la canoa?", "La canoa costa duecentoquaranta euro."),
        ("Dove metto le scope bagnate?", "Le scope bagnate vanno nel ripostiglio."),
        (
            "\u00c0 quelle fr\u00e9quence passe le tram ?",
            "Le tram passe toutes les dix minutes.",
        ),
        ("Hur l\u00e5ng \u00e4r bron?", "Bron m\u00e4ter 90 meter."),
        ("Sind Wassersch\u00e4den gedeckt?", "Sch\u00e4den durch Wasser sind gedeckt."),
        ("Where do I call when I'm late and don't come?", "Call the yard if late, or do not come."),
        ("What counts as a wearing part?", "Wearing parts are seals."),
        ("What does error E:22 mean?", "E:22 means that the filter is clogged."),
        ("How far ahead are loans requested?", "Loans are requested a month ahead."),
        ("Welche Telefonnummer hat das B\u00fcro?", "Das B\u00fcro hat Telefon 9."),
        ("Welche Kaution von 3.50 Euro gilt?", "Eine Kaution von 3,50 Euro gilt."),
        ("Wie lange habe ich Garantie?", "Die Garantie l\u00e4uft zwei Jahre."),
        (
            "Wann ist Laerm auf der Strasse verboten?",
            "L\u00e4rm auf der Stra\u00dfe ist ab 22 Uhr verboten.",
        ),
        (
            "Quelle est la frequence des controles ?",
            "La fr\u00e9quence des contr\u00f4les est annuelle.",
        ),
        ("edad minima de la sala", "La edad m\u00ednima de la sala es de 16."),
        ("Jusqu'\u00e0 quand avons-nous la salle ?", "La salle est \u00e0 vous jusqu'\u00e0 midi."),
    ],
)
def test_other_words_for_the_same_are_met(question: str, sentence: str) -> None:
    assert match(question, sentence).is_met


@pytest.mark.parametrize(
    ("question", "sentence", "kind"),
    [
        ("What does HOR stand for?", "HOR lends boats to its members.", "expansion"),
        ("What does the red lamp stand for?", "A red lamp stands at the closed weir.", None),
        ("What does HXR stand for?", "HXR is short for Harbour Exchange for Rowers.", None),
        ("When is the weir open?", "The weir is open to rowers who have a key.", "time"),
        ("When is the weir open?", "The weir is open only if the lock is shut.", None),
        ("Wof\u00fcr steht HOR?", "HOR ist f\u00fcr alle Boote da.", "expansion"),
        ("How many boats are there?", "The boats are in the annex (see section 7.4).", "number"),
        ("How many boats are there?", "The boats (see section 7) are nine.", None),
        ("What does a seat cost?", "Article: A-01, Part: Seat, Price: 149", None),
        ("What does a seat cost?", "Article: A-01, Part: Seat, Weight: 149", "money"),
        ("What does the family plan cost?", "Basic is 7.99 a month, Family 13.99 a month.", None),
        ("What does the price list cost?", "The price list has 40 pages.", "money"),
        ("Combien de bateaux y a-t-il ?", "Un bateau est dans le port (voir page 4).", "number"),
        (
            "Combien co\u00fbte l'\u00e9cole ?",
            "L'\u00e9cole a deux cents \u00e9l\u00e8ves.",
            "money",
        ),
        ("How many oars may a rower take?", "A rower may take oars for the first time.", "number"),
        ("How many oars may a rower take?", "A rower may take no oars.", None),
        ("How long is the canal?", "The canal is nine metres wide.", "dimension"),
        ("How long is the canal?", "The canal is nine metres wide and 2 km long.", None),
        ("How long does the canal trip last?", "The trip on the wide canal takes an hour.", None),
        ("Wie tief ist der Kanal?", "Der Kanal ist neun Meter breit.", "dimension"),
        ("How high may the shed be?", "The shed may have up to 4 square metres.", "dimension"),
        ("How high may the shed be?", "The shed may have 4 square metres, and be 2 high.", None),
        ("How high is the rent?", "The rent of the 40 square metres is 800.", None),
        ("Where are the oars kept?", "The oars are kept for a year.", "place"),
        ("Where are the oars kept?", "The oars are kept for a year, on Mondays too.", "place"),
        ("Where are the oars kept?", "The oars are kept under the stairs.", None),
        ("Where are the oars kept?", "Item: oars, Kept: rear shelf", None),
        ("At which address is the club?", "The club is open for all rowers.", "place"),
        ("Wo liegen die Ruder?", "Die Ruder liegen hinter dem Schuppen.", None),
        ("O\u00f9 sont les rames ?", "Les rames sont neuves.", "place"),
        ("What is the interest rate of the loan?", "The loan has a fixed interest rate.", "number"),
        (
            "What is the maximum weight of a boat?",
            "The weight of a boat is on its plate.",
            "number",
        ),
        ("What was the lowest tide?", "The mean tide was 2 metres.", "counterpart"),
        ("What were the tolls in 2031?", "We expect tolls of 5 million in 2031.", "counterpart"),
        ("What are the tolls in 2031?", "We expect tolls of 5 million in 2031.", None),
        ("What tolls were expected in 2031?", "We expect tolls of 5 million in 2031.", None),
        ("What were tolls in 2031?", "Tolls rose to 5 in 2031, and we expect 6 in 2032.", None),
        ("When was the pier built?", "The pier of 1931 is expected to last until 2040.", None),
        ("What was the mean tide?", "The lowest tide was 2 metres.", "counterpart"),
        ("What is the longest wait?", "The average wait is 25 minutes.", "counterpart"),
        ("What is the longest wait?", "On average it is 25 minutes, the longest is 40.", None),
        ("What does the maximum of 9 mean?", "A maximum of 9 is for the pier.", None),
        ("Wie hoch ist die maximale Last?", "Im Durchschnitt sind es 2 Tonnen.", "counterpart"),
        ("Quelle est la charge maximale ?", "La charge moyenne est de 2 t.", "counterpart"),
    ],
)
def test_what_is_asked_for_is_no_reference_and_no_article(
    question: str, sentence: str, kind: str | None
) -> None:
    assert match(question, sentence).kind == kind


@pytest.mark.parametrize(
    "sentence",
    [
        "\u00c8 vietato pescare nel porto.",
        "No puerto es prohibida la pesca.",
        "\u00c9 proibido pescar no porto.",
        "Vissen is verboden in de haven.",
    ],
)
def test_what_is_forbidden_is_denied_in_other_languages_too(sentence: str) -> None:
    assert match("Was darf man im Hafen nicht?", sentence).kind is None


@pytest.mark.parametrize(
    ("page", "own", "other", "question"),
    [
        (
            "Ms Ek heads the yard. Mr Lund heads the pier; his deputy is Ms Novak.",
            "Mr Lund",
            "Ms Ek",
            "Who is the deputy of {}?",
        ),
        (
            "The north hall is old. The south hall is new, and its roof was made by Otto Berg.",
            "south hall",
            "north hall",
            "Who made the roof of the {}?",
        ),
        (
            "Die Nordhalle ist alt. Die S\u00fcdhalle ist neu, und ihre Tore sind von Otto Berg.",
            "S\u00fcdhalle",
            "Nordhalle",
            "Von wem sind die Tore der {}?",
        ),
        (
            "Le Merle est un voilier. Le Corbeau est neuf, et il appartient \u00e0 Ivo Lenz.",
            "Corbeau",
            "Merle",
            "\u00c0 qui appartient le {} ?",
        ),
    ],
)
def test_it_is_the_subject_that_its_own_sentence_has(
    page: str, own: str, other: str, question: str
) -> None:
    words = sentences_of(block(text=page))[-1]

    def is_met(asked: str) -> bool:
        return judged(asked, in_context(words, None, question=asked), likeness=None).is_met

    assert is_met(question.format(own))
    assert not is_met(question.format(other))


@pytest.mark.parametrize(
    "page",
    [
        "The north hall is old. If the roof leaks, it is closed by Otto Berg.",
        "The north hall is old. The town and its mayor sold it; it is closed by Otto Berg.",
        "The north hall is old. Built of oak and painted, it is closed by Otto Berg.",
    ],
)
def test_it_is_what_was_spoken_of_before_where_no_clause_is_joined(page: str) -> None:
    words, question = sentences_of(block(text=page))[-1], "Who closes the north hall?"

    found = judged(question, in_context(words, None, question=question), likeness=None)

    assert found.is_met


def test_nouns_of_two_genders_are_two_things() -> None:
    assert not match("Dove si trova la porta?", "Il porto si trova a nord del faro.").is_met


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "When is the rent due, and who holds the keys?",
            ["When is the rent due", "who holds the keys?"],
        ),
        ("Wann ist Markt und wer hat die Bude?", ["Wann ist Markt", "wer hat die Bude?"]),
        (
            "When is the rent due, and how is it paid?",
            ["When is the rent due", "how is the rent paid?"],
        ),
        (
            "How long is the cake baked and how long does it keep?",
            ["How long is the cake baked", "how long does the cake keep?"],
        ),
        ("What does it cost and when is it due?", []),
        ("What is the fee for the pool and what for the sauna?", []),
        ("What do E12 and E17 mean?", []),
        ("Who holds the keys?", []),
    ],
)
def test_two_questions_in_one_are_told_apart(question: str, parts: list[str]) -> None:
    assert asked_apart(question) == parts


def test_across_languages_numbers_and_codes_still_count() -> None:
    sentence = "The valve K-7 is changed in the year 2031 as it was before."

    assert match("Wann wird das Ventil K-7 gewechselt?", sentence).is_met
    assert not match("Wann wird das Ventil K-9 gewechselt?", sentence).is_met
    assert not match("Was wird in dem Jahr 2029 gewechselt?", sentence).is_met


@pytest.mark.parametrize(
    ("question", "is_met"),
    [
        ("Wann wird das Fahrrad repariert?", True),
        ("Wann wird das Fahrrad lackiert?", True),  # half of the words: as good as it gets
        ("Wann wird das Dach lackiert?", False),
        ("Wie viel kostet es, das Fahrrad zu reparieren?", False),  # there is no price
    ],
)
def test_across_languages_words_are_near_and_the_kind_is_there(
    question: str, *, is_met: bool
) -> None:
    """T-24: a similarity of the whole is high for anything that is about as long."""
    sentence = "The bicycle is repaired in the yard on Saturdays, and it is done there."

    assert match(question, sentence).is_met is is_met


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When is the loft swept?", "The loft is swept in March."),
        ("Wann wird der Ofen gereinigt?", "Der Ofen wird am Donnerstagabend gereinigt."),
        ("Quand le four est-il nettoy\u00e9 ?", "Le four est nettoy\u00e9 en f\u00e9vrier."),
        ("\u00bfCu\u00e1ndo se limpia el horno?", "El horno se limpia en enero."),
        ("Quando viene pulito il forno?", "Il forno viene pulito in inverno."),
        ("Was kostet die Matte?", "Die Matte kostet siebzehn Euro."),
        ("Combien co\u00fbte la natte ?", "La natte co\u00fbte soixante euros."),
        (
            "Combien d'\u00e9l\u00e8ves a l'\u00e9cole ?",
            "L'\u00e9cole a deux cents \u00e9l\u00e8ves.",
        ),
        ("\u00bfCu\u00e1nto cuesta la estera?", "La estera cuesta veintid\u00f3s euros."),
        ("Quanto costa la stuoia?", "La stuoia costa trentacinque euro."),
        ("Wie vieler Helfer bedarf der Umzug?", "Der Umzug bedarf vierzehn Helfer."),
        ("Combien de temps dure le bail ?", "Le bail dure treize mois."),
        ("Per quanto tempo dura il corso?", "Il corso dura undici settimane."),
        ("Que loue-t-on dans la remise ?", "On loue des skis dans la remise."),
    ],
)
def test_numbers_and_times_are_known_in_each_language(question: str, sentence: str) -> None:
    """T-24: what a question asks for is there, however its language writes it."""
    assert match(question, sentence, passage=sentence * 2).is_met


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When is the loft swept?", "The loft is swept by the deckhand, who decides on a mop."),
        ("Quand la salle est-elle lav\u00e9e ?", "La salle a \u00e9t\u00e9 lav\u00e9e par Anne."),
        ("\u00bfCu\u00e1ndo se limpia el horno?", "El horno se limpia con vinagre."),
        ("Was kostet die Matte?", "Die Matte ist einzig und kostet etwas."),
    ],
)
def test_other_words_are_no_numbers_and_no_times(question: str, sentence: str) -> None:
    assert match(question, sentence).kind is not None


@pytest.mark.parametrize(
    ("question", "sentence", "is_met"),
    [
        ("How many chicks fit into the brooder?", "The brooder keeps chicks at 35 degrees.", False),
        ("How many ____?", "The brooder fits 9.", True),
        ("The brooder fits how many chicks", "The brooder fits chicks at 35 degrees.", False),
        ("How many chicks fit into the brooder?", "The brooder keeps 40 chicks warm.", True),
        ("At how many degrees are chicks kept?", "Chicks are kept at 35 degrees.", True),
        ("Wie viele Stunden zahlt man?", "Stunden zahlt man mit 15 Euro je Stunde.", False),
        ("Wie viele Stunden zahlt man?", "Man zahlt acht Stunden zu 15 Euro.", True),
        ("\u00bfCu\u00e1ntas horas se pagan?", "Se pagan 12 euros por hora.", False),
        ("How many vacation days do cooks get?", "Cooks get 28 vacation days.", True),
        ("Wie viele Urlaubstage haben K\u00f6che?", "K\u00f6che haben 28 Urlaubstage.", True),
        ("How many visitors has the kiln?", "Visitors: the kiln was built in 1931.", False),
        ("How many visitors has the kiln?", "In 1931 the kiln had 90 visitors.", True),
        ("How high does the kite fly?", "The kite flies for forty minutes.", False),
        ("How high does the kite fly?", "The kite flies at forty metres.", True),
        ("How high is the toll?", "The toll is 4 euros for two days.", True),
        ("How tall is the kiln?", "The kiln is lit at 5 degrees in winter.", False),
        ("How tall is the kiln?", "The kiln stands 70 in tall.", True),
        ("How wide is the kiln?", "The kiln is 2.4 m wide.", True),
        ("How big is a berth?", "The harbour has 48 berths.", False),
        ("How big is a berth?", "Each of the 48 berths has 30 square metres.", True),
        ("How big is the crew of pilots?", "The crew has 48 pilots.", True),
        ("How many seals are there?", "The seals number 90.", True),
        ("How many seals are there?", "Our seals have 3 pools.", False),
    ],
)
def test_a_number_of_something_else_is_none(question: str, sentence: str, *, is_met: bool) -> None:
    """T-25."""
    assert match(question, sentence).is_met is is_met


@pytest.mark.parametrize(
    ("question", "sentence", "kind"),
    [
        ("How much is a new pane?", "A new pane comes at no cost.", None),
        ("How much does parking cost?", "We do not charge for parking.", None),
        ("How much does parking cost?", "Parking does not cost more than it did.", "money"),
        ("Combien dois-je payer pour la vitre ?", "La vitre est gratuite.", None),
        ("Combien de pages a le livre ?", "Le livre est gratuit.", "number"),
        ("\u00bfCu\u00e1nto tengo que pagar por la llave?", "La llave se da sin coste.", None),
        ("Wie viel zahlen Kinder?", "Kinder kommen kostenlos hinein.", None),
        ("At what time does the choir start?", "The choir starts on Tuesday the 8th.", "time"),
        ("At what time does the choir start?", "It starts on 8 May at 9.30.", None),
        ("What time does the market open?", "In 2031 it opens on May 4.", "time"),
        ("What time does the market open?", "In May the market opens at dawn.", None),
        ("Um wie viel Uhr beginnt der Markt?", "Er beginnt am Samstag, 4. Mai.", "time"),
        ("\u00c0 quelle heure ferme la halle ?", "Elle ferme le 4 mai \u00e0 18 heures.", None),
        ("When does the market open?", "It opens on May 4.", None),
        ("What time is dinner?", "Dinner is at 1930.", None),
        ("What time does the choir meet?", "It meets on Monday 1 June 7 pm.", None),
        ("What time does the hall close?", "The hall closes 6pm on Fridays.", None),
        ("What time period is covered?", "It covers 2019 to 2021.", None),
        ("How much is the booking fee?", "No fee is refunded for a late booking.", "money"),
        ("How much does the battery cost?", "It is not charged when it is sent.", "money"),
        ("What does a ticket cost?", "Tickets without charge cards are not sold.", "money"),
        ("Combien de jours de cong\u00e9s pay\u00e9s ai-je ?", "On a droit \u00e0 25 jours.", None),
        ("In wie viel Raten kann ich zahlen?", "Man zahlt in drei Raten.", None),
        ("When is the laundry open?", "Not at night: it is open from 7 am to 10 pm.", None),
        ("When does the shop open?", "Not on Sundays; otherwise at 9.", None),
        ("When does the ferry leave?", "Not on 25, 26 December.", "denial"),
        ("Where is smoking allowed?", "Smoking is allowed within the courtyard.", None),
        ("Where is the form sent?", "The form is sent within the next 14 days.", "place"),
        ("How much is the rent per person /month?", "The rent is 500 EUR each.", None),
        ("What does a rail card cost?", "Pupils with a rail card travel free.", "money"),
        ("What does a rail card cost?", "Owners of a rail card travel free.", "money"),
        ("What does a rail card cost?", "A rail card is free for pupils.", None),
        ("What does a trip cost with a rail card?", "A trip with a rail card is free.", None),
        ("Was kostet die Saunakarte?", "Mit der Saunakarte ist der Eintritt frei.", "money"),
        ("What does the lantern cost?", "Members get 5 % off the lantern.", "money"),
        ("What does a mooring cost?", "A mooring costs 2 % of the value of the boat.", None),
        ("How much is the harbour fee?", "The harbour fee is 2 %.", None),
        ("What is the price of a herring?", "The kiosk sells a herring for 2.50.", None),
        ("What is the price of a herring?", "The kiosk sells herrings until 18.30.", "money"),
        ("What does a herring cost?", "It costs 2.50.", None),
    ],
)
def test_what_costs_nothing_has_a_price_and_a_day_has_no_hour(
    question: str, sentence: str, kind: str | None
) -> None:
    assert match(question, sentence).kind == kind


@pytest.mark.parametrize(
    "price",
    [
        *("500.000 \u0111", "\u20ab 500.000", "500 z\u0142", "500 K\u010d", "\u20ba500", "500 TL"),
        *("5\u4e07\u5186", "500\u5143", "500 \uc6d0", "5\ub9cc \uc6d0", "500 \u0e1a\u0e32\u0e17"),
        *("500 \u0440\u0443\u0431.", "500 \u20bd", "500 \u0930\u0941\u092a\u092f\u0947"),
        *("500 \u0433\u0440\u043d", "500 Ft", "500 kr.", "500 lei", "\u0e3f500"),
    ],
)
def test_money_of_other_countries_is_money(price: str) -> None:
    question = "How much does the ticket cost?"

    assert match(question, f"The ticket costs {price}").kind is None
    assert match(question, "The ticket costs 5 lira\u0144cz or 2 kra.").kind == "money"


@pytest.mark.parametrize(
    "text",
    [
        "The ladder is 12 ft long",
        "3 \u0442\u0440\u0443\u0431\u044b \u0442\u0443\u0442.",
        "3 \u0440\u0443\u0431\u0430\u0448\u043a\u0438 \u0442\u0443\u0442.",
        "3 \u0e1a\u0e17\u0e1a\u0e32\u0e17",
    ],
    ids=["feet", "pipes", "shirts", "roles"],
)
def test_what_is_spelt_like_money_is_none(text: str) -> None:
    assert MONEY.search(text) is None


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What does clause 3 say of late rent?", "3. Late rent is asked for each month."),
        ("What does \u00a7 3 say of late rent?", "\u00a7 3 Late rent is asked for."),
    ],
)
def test_a_clause_is_named_by_its_number(question: str, sentence: str) -> None:
    assert "3" not in match(question, sentence).unmet


def test_someone_is_nobody_that_a_sentence_has_to_name() -> None:
    assert match("What is done if someone swallowed it?", "Swallowed: rinse the mouth.").is_met


@pytest.mark.parametrize("text", ["a" * 2000, "a-" * 1000, "1." * 1000, "1" * 2000])
def test_looking_for_units_in_a_long_word_ends_in_time(text: str) -> None:
    """A limit for hangs: 600 letters took five CPU seconds, 2,000 more than thirty."""
    start = time.process_time()

    match("How many chicks fit into the brooder?", text)

    assert time.process_time() - start < 5


def test_looking_for_what_letters_stand_for_ends_in_time() -> None:
    """A limit for hangs: these took 15 CPU seconds, 600 characters take minutes."""
    start = time.process_time()

    match("What does AAAAB stand for?", "a_" * 250)

    assert time.process_time() - start < 5


def test_a_page_of_digits_is_read_in_time() -> None:
    """A limit for hangs: 30,000 took 7 CPU seconds, and a page may have 200,000 characters."""
    start = time.process_time()

    judged(
        "How many chicks fit?",
        SentenceInContext("Chicks.", "", "Chicks.", page="1" * 30_000),
        likeness=None,
    )

    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("question", "sentence", "is_met"),
    [
        ("Who signs the diplomas?", "The mayor signs the diplomas.", True),
        ("Who collects the mail?", "The mail is collected on weekdays.", False),
        ("Who sorts the mail?", "The mail sorts itself.", False),
        ("Who made the boiler?", "The boiler is kept at sixty degrees.", False),
        ("Who made the boiler?", "The boiler was made by a plumber.", True),
    ],
)
def test_who_does_something_stands_before_the_verb(
    question: str, sentence: str, *, is_met: bool
) -> None:
    assert match(question, sentence).is_met is is_met


@pytest.mark.parametrize(
    ("question", "sentence", "is_met"),
    [
        ("Who chairs the CDO?", "The Chief Dredging Office is chaired by Ana Ruiz.", True),
        ("Who chairs the Chief Dredging Office?", "The CDO is chaired by Ana Ruiz.", True),
        ("Whom does HR pay?", "Human Resources pays the drivers.", True),
        ("Whom does HR pay?", "Harbour rangers are paid, and so are the drivers.", False),
        ("Who chairs the CDO?", "Chief officers are chaired by Ana Ruiz.", False),
        ("WHO CHAIRS THE CDO?", "The Chief Dredging Office is chaired by Ana Ruiz.", False),
        ("What is net PP&E?", "Property, plant and equipment, net, is 4,034.", True),
        ("What was diluted EPS?", "Diluted earnings per share were 5.20.", True),
        ("What was diluted EPS?", "Diluted paint was sprayed on 5.20 metres.", False),
        ("What was EPS in euros?", "In euros, except per share: earnings per share 5.20.", True),
        ("What is the ATM limit?", "The limit is 500 euros at the moment.", False),
        ("What is the R&D limit?", "The limit of the red door is 500 euros.", False),
        ("What is the R&D limit?", "The limit of research and development is 500.", True),
        ("What is the R&D limit?", "The limit of Research & Development is 500.", True),
    ],
)
def test_an_abbreviation_and_its_words_are_the_same(
    question: str, sentence: str, *, is_met: bool
) -> None:
    assert match(question, sentence).is_met == is_met


@pytest.mark.parametrize(
    "question",
    [
        "What drove the change in freight income?",
        "How much did they spend on freight in fiscal 2021?",
        "What was freight income (in USD millions)?",
        "What was freight income for the full year?",
    ],
)
def test_how_to_write_an_answer_and_why_it_changed_are_not_looked_for(question: str) -> None:
    sentence = "Freight income of 2021 was 812 million because of the drought."

    assert match(question, sentence).unmet == ()


@pytest.mark.parametrize(
    ("sentence", "is_met"),
    [
        ("Der Kellerschl\u00fcssel h\u00e4ngt im Flur.", True),
        ("Der Dachschl\u00fcssel h\u00e4ngt im Flur.", False),
    ],
)
def test_a_compound_says_both_of_its_halves(sentence: str, *, is_met: bool) -> None:
    assert match("Wo h\u00e4ngt der Schl\u00fcssel zum Keller?", sentence).is_met is is_met


def test_a_phrase_is_compared_as_one_word_of_another_language() -> None:
    def near(word: str, others: Sequence[str]) -> float:
        return float(word == "cl\u00e9 de la cave" and "Kellerschl\u00fcssel" in others)

    given = SentenceInContext("Der Kellerschl\u00fcssel h\u00e4ngt im Flur.", "", "")
    known = Likeness(near, same=1.0, across=0.5)

    for question, is_met in (
        ("O\u00f9 est la cl\u00e9 de la cave ?", True),
        ("O\u00f9 est la cave ?", False),
    ):
        assert judged(question, given, likeness=known).is_met is is_met


def test_what_is_known_to_be_foreign_is_compared_by_codes_only() -> None:
    question, sentence = "Var hänger nyckeln till skåp B-12?", "Nyckeln till B-12 finns i hallen."
    given = SentenceInContext(sentence, "", sentence, is_foreign=True)

    known = judged(question, given, likeness=None)
    other = judged(question.replace("12", "17"), given, likeness=None)
    as_it_looks = judged(question, replace(given, is_foreign=False), likeness=None)

    assert (known.is_met, other.is_met, as_it_looks.unmet) == (
        True,
        False,
        ("var", "hänger", "skåp"),
    )


def words_with(start: str, page: str) -> Words:
    return next(one for one in sentences_of(block(1, page)) if one.text.startswith(start))


@pytest.mark.parametrize(
    ("question", "start", "page", "is_met"),
    [
        ("What does the pool cost?", "The price", "Pool\n\nThe price is 4 euros a day.", True),
        ("What does the pool cost?", "The price", "Pool\n\nThe price is nine crowns.", True),
        ("What does the pool cost?", "It costs", "The pool is heated. It costs 4 euros.", True),
        ("How deep is the toddler pool?", "It is", "Paint the toddler pool. It is 1 m.", True),
        ("How deep is the toddler pool?", "The", "Paint the toddler pool. The pool is 1 m.", True),
        ("How deep is the diving pool?", "The", "Paint the toddler pool. The pool is 1 m.", False),
        (
            "How deep is the toddler pool?",
            "The pool",
            "Paint the toddler pool. The pool for divers is 4 m.",
            False,
        ),
        ("Wie tief ist das Becken?", "Sie", "Das Becken ist zu. Sie hat 4 m.", True),
        ("Wie tief ist das Becken?", "Gehen", "Das Becken ist zu. Gehen Sie 4 m.", False),
        (
            "Wie tief ist das Tauchbecken?",
            "Das B",
            "Das Tauchbecken ist zu. Das Becken hat 4 m.",
            True,
        ),
        ("How deep is the pool?", "Mind", "Pool 2000\n\nMind the metre marks.", False),
        ("How deep is the pool?", "- Small", "Pool, depth in metres:\n- Small: 2\n- Big: 4", True),
        ("When is the pool cleaned?", "At", "Article 4. The pool. At noon, it is cleaned.", True),
        (
            "What does the pool cost?",
            "The hall",
            "The pool is heated. The hall costs 4 euros.",
            False,
        ),
        ("What colour is the pool?", "Tiles", "Pool | Colour\nTiles | blue\nRim | white", True),
        (
            "Which fees does the pool waive?",
            "- Seniors",
            "The pool waives these fees:\n- Seniors on Monday\n- Teams",
            True,
        ),
    ],
)
def test_headings_heads_and_what_it_means_govern_a_sentence(
    question: str, start: str, page: str, *, is_met: bool
) -> None:
    """T-25: the governing part, not the whole passage."""
    words = words_with(start, page)

    found = judged(question, in_context(words, row_of(words), question=question), likeness=None)

    assert found.is_met is is_met


@pytest.mark.parametrize(
    ("question", "called", "sentence", "is_met"),
    [
        ("What were net sales in 2031?", "Report 2031", "Net sales were 5.", True),
        ("What were net sales in FY31?", "TALLOW_2031", "Net sales were 5.", True),
        ("What were net sales in 2031?", "TALLOW_FY31", "Net sales were 5.", True),
        ("What were net sales in fiscal year 2031?", "Report 2031", "Net sales were 5.", True),
        ("What were net sales in 2031?", "Report 2030", "Net sales were 5.", False),
        ("What were net sales in 2031?", "Report 2031", "Net sales of 2030 were 5.", False),
        ("What were net sales in 2031?", "Report 2031", "Net sales were 5 (2030: 4).", True),
        ("What were net sales in 2031?", "Report 2031", "Net sales were 5, not 4 as 2030.", False),
        ("What were net sales in 2031?", "Report 2031", "Net sales were 5, more than 2030.", True),
        (
            "What was the margin in 2031?",
            "Report 2031",
            "The margin was 4% over 3.9% in 2030.",
            False,
        ),
        (
            "What was the margin in 2031?",
            "Report 2031",
            "The margin was 4.2% compared with 3.9% in 2030.",
            True,
        ),
        ("What were net sales of Tallow Bay?", "TALLOWBAY_10K", "Net sales were 5.", True),
        ("What were net sales of tallow bay?", "TALLOWBAY_10K", "Net sales were 5.", True),
        ("What were net sales of tallow hill?", "TALLOWBAY_10K", "Net sales were 5.", False),
        ("How much oil does the TX-210 take?", "TX-210", "Oil: it takes 9 litres.", True),
        ("How much oil does the TX-210 take?", "TX-210", "The TX-310 takes oil: 9 l.", False),
        ("What is the deposit for the pool?", "Pool", "The deposit is 9 euros.", True),
        (
            "What is the deposit for the pool?",
            "Pool",
            "The deposit for the hall is 9 euros.",
            False,
        ),
        ("What is the dividend of 2031?", "Report 2031", "Net sales were 5.", False),
        ("What is the fee for the libary?", "Fees", "The fee for the library is 9 euros.", True),
        (
            "Which harbour charges did the ferry company of Tallow Bay pay to the port in 2031?",
            "TALLOWBAY_2030",
            "The ferry company paid harbour charges of 5 euros to the port.",
            False,
        ),
    ],
)
def test_a_title_says_whose_and_of_when_a_sentence_is_unless_it_says_so_itself(
    question: str, called: str, sentence: str, *, is_met: bool
) -> None:
    """T-25: a report's sentences name neither their company nor their year."""
    [words] = sentences_of(replace(block(1, sentence), source=f"{called}.pdf"))

    found = judged(question, in_context(words, None, question=question), likeness=None)

    assert found.is_met is is_met


@pytest.mark.parametrize(
    ("question", "sentence", "is_met"),
    [
        ("How much did the dredging cost?", "The dredging cost 12 million.", True),
        ("How much did the dredging cost?", "The dredging moved 12 million stones.", False),
        ("At what pressure does the valve open?", "The valve opens at 4 bar.", True),
        ("At what pressure does the valve open?", "The valve opens at 4 degrees.", False),
        ("How big is the valve?", "The valve is 4 mm big.", True),
        ("How big is the valve?", "The valve is closed on fault E7.", False),
        ("Quel est le montant de la caution ?", "La caution est de 9 euros.", True),
        ("Quel est le montant de la caution ?", "Montant et caution.", False),
    ],
)
def test_a_cost_in_millions_and_a_pressure_by_its_unit_are_what_was_asked_for(
    question: str, sentence: str, *, is_met: bool
) -> None:
    assert match(question, sentence).is_met is is_met


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("When is the pool closed?", "en"),
        ("Wann ist das Bad zu?", "de"),
        ("\u00c0 quelle heure ferme la piscine ?", "fr"),
        ("Quand ferme la piscine de la ville ?", "fr"),
        ("a que hora me dejan entrar despues del sabado", "es"),  # typed without its marks
        ("koennen wir ueber nacht bleiben", "de"),
        ("L\u2019eau d\u2019ici", "fr"),
        ("Sizes are S, M, L and XL", "en"),
        ("Size chart\n\nS | M | L | XL\n36 | 38 | 40 | 42", None),
        ("Vitamin | A | C | D | E | K", None),
        ("Signed.\n\nAttachment: smime.p7s", None),
        ("Badger 84", None),
        ("\u6e38\u6cf3\u6c60", None),
    ],
)
def test_small_words_tell_a_language(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_the_code_of_a_passage_is_that_of_its_sentences_unless_there_are_several() -> None:
    """A code is also found without its hyphen, and is no other one for that."""
    said = "The analyser has to be calibrated every 90 days."
    asked = "How often has the HX-400 to be calibrated?"

    assert match(asked, said, passage=f"The HX-400 replaces older ones. {said}").is_met
    assert not match(asked, said, passage=f"The HX-400 replaces the HX-300. {said}").is_met


def test_the_number_of_a_thing_is_not_that_of_another_in_its_passage() -> None:
    passage = "Heron runs on Windows 11. Windows 10 is not supported."

    assert not match("Does Heron run on Windows 10?", passage[:25], passage=passage).is_met
    assert match("Does Heron run on Windows 11?", passage[:25], passage=passage).is_met


def test_a_part_of_a_version_is_not_the_number_of_another_thing() -> None:
    said = "Files are supplied that define Grade 3 and Grade 5."

    for heading in ("Survex 1.4.4", "Survex"):
        assert not match("Which files define Grade 4?", said, governing=heading).is_met
    assert match("Which files define Grade 5?", said, governing="Survex 1.4.4").is_met


@pytest.mark.parametrize(
    ("question", "sentence", "is_met"),
    [
        ("Wie hoch ist die Aufnahmegeb\u00fchr?", "\u00dcber die Aufnahme entscheidet er.", False),
        ("Wer ist der Kassenwart?", "Man w\u00e4hlt zwei Kassenpr\u00fcfer.", False),
        ("Wer ist der Jugendleiter?", "Jugendliche zahlen die H\u00e4lfte.", False),
        ("Wo ist der Gartenzaun?", "Gartenabf\u00e4lle liegen am Tor.", False),
        ("Bis wann wird der Beitrag gezahlt?", "Der Jahresbeitrag ist bis Mai zu zahlen.", True),
        ("How are the goods classified?", "The classification of the goods is in the annex.", True),
        ("At which temperature is it stored?", "It is stored at 25 \u00b0C.", True),
        ("At which temperature is it stored?", "It is stored on shelf 25.", False),
        ("TS2204B", "Replace the sensor, part number TS-2204-B.", True),
        ("SK118/4", "The seal kit is SK 118/4.", True),
        ("SK 118/4", "The seal kit is SK118/4.", True),
        ("SK 118/4", "The seal kit is SK 119/4.", False),
        ("How heavy is the HX400?", "The HX-400 has 3 kg.", True),
        ("How heavy is the HX400?", "The HX-4000 has 3 kg.", False),
        ("What does E 04 mean?", "E04 | Motor blocked", True),
        ("What does E 04 mean?", "E01 | Dry running", False),
        ("What does E04 mean?", "E 04 | Motor blocked", True),
        ("How heavy is the 35kg bag?", "The bag has 3.5kg.", False),
        ("IS IT 20 EUROS?", "It is 20 euros.", True),
        ("How many printers are in IT?", "Sales has 3 printers.", False),
        ("How many printers are in IT?", "IT has 3 printers.", True),
        ("HOW MANY PRINTERS ARE IN IT?", "Sales has 3 printers.", True),  # or in "it"
        ("How many printers ARE in it?", "Sales has 3 printers.", True),
        ("When may I go swimming?", "Swimming is allowed in May.", True),
        ("When may I go fishing?", "Swimming is allowed in May.", False),
        ("When may I go?", "Swimming is allowed in May.", False),
        ("What was the balance in May?", "In May the balance was 640 euros.", True),
        ("What was the balance in May?", "In March the balance was 640 euros.", False),
        ("Who is the deputy keeper of the pets?", "Ann Lee, deputy keeper of the dogs.", True),
        ("Who is the deputy keeper of the pets?", "Ann Lee, keeper of the dogs.", False),
        ("When is Heron 4.4 for pets sold?", "Heron 4.3.1 for dogs is sold in May.", False),
        ("What is NOT covered?", "Frost is not covered.", True),
        ("WHO is the chair?", "The chair is Dora Lind.", True),
        ("How many watts does the pump need?", "The pump: 45 W.", True),
        ("How many kilowatt hours does the pump need?", "The pump: 45 kWh.", True),
        ("Wie viel Watt braucht die Pumpe?", "Die Pumpe hat 45 W.", True),
        ("How many watts does the pump need?", "The pump: 45 V.", False),
        ("How many watts does the pump need?", "The pump: room W 45.", False),
        ("At what voltage does the pump run?", "The pump runs at 230 V.", True),
        ("At what voltage does the pump run?", "The pump runs at 50 Hz.", False),
        ("maximum flow in cubic metres per hour", "Maximum flow 4.2 m\u00b3/h.", True),
        ("maximum flow in cubic metres per hour", "Maximum flow 4.2 l/h.", False),
        ("How many gigabytes is the disk?", "The disk is of 500 GB.", True),
        ("How many metres is the cable?", "The cable is kept for 6 months.", False),
        ("What does the policy not cover?", "The policy covers frost.", False),
        ("What does the policy not cover?", "The policy does not cover frost.", True),
        ("Who chairs the board?", "The board is chaired by Ruth Meyer.", True),
        ("Are quizzes part of the course?", "The course ends with a quiz.", True),
        ("Where do the trams stop?", "No tram stopped at the old market.", True),
        ("When was the tank filled?", "The tank of the shed has a file.", False),
        ("When are the gaps adding up?", "In May the gap of the ads closes.", False),
        ("Darf ich einen Hund halten?", "Hunde brauchen eine Zustimmung.", True),
        ("How is an e-bike charged?", "A bike is charged by the minute.", False),
        ("What is the rent for the garage?", "Towels | 2.50 \u20ac", False),
    ],
)
def test_a_word_is_met_by_its_own_forms_and_a_value_by_its_unit(
    question: str, sentence: str, *, is_met: bool
) -> None:
    assert match(question, sentence).is_met is is_met


def test_a_synonym_excuses_a_loss_only_where_a_word_stands_as_it_was_asked() -> None:
    sentence = "Wages are paid monthly."

    assert not match("What salary does the porter get?", sentence).is_met
    assert match("Is the salary of porters paid weekly?", f"{sentence} Weekly, too.").is_met


def test_what_is_counted_is_met_by_no_synonym() -> None:
    assert not match("How many pets may a tenant keep?", "A tenant may keep two dogs.").is_met
    assert match("How many dogs may a tenant keep?", "A tenant may keep two dogs.").is_met


RECIPES = (
    "Plum Cake\n\nIngredients:\n\n- 4 eggs\n- 900 g plums\n- 90 g sugar\n\nMethod:\n\n"
    "1. Stone the plums.\n2. Beat the eggs.\n3. Bake for an hour.\n\n"
    "1. Storing\n\nThe cake keeps for three days. It is not frozen."
)


@pytest.mark.parametrize(
    ("question", "start", "is_met"),
    [
        ("How many eggs does the plum cake need?", "- 4 eggs", True),
        ("How does storing the cake end?", "The cake keeps", True),
        ("How does storing the tart end?", "The cake keeps", False),
    ],
)
def test_the_heading_above_a_lead_in_governs_the_items_too(
    question: str, start: str, *, is_met: bool
) -> None:
    words = words_with(start, RECIPES)

    found = judged(question, in_context(words, row_of(words), question=question), likeness=None)

    assert found.is_met is is_met


@pytest.mark.parametrize(
    ("question", "page", "is_met"),
    [
        ("What notice does the tenant give?", "The landlord gives a month\u2019s notice.", False),
        ("Darf ich einen Hund halten?", "Kleintiere sind erlaubt.", True),
        ("Darf ich einen Hund halten?", "Kleintiere sind erlaubt. Hunde sind es nicht.", False),
        ("What do bicycles cost?", "Bikes cost 4 euros.", True),
        ("What do bicycles cost?", "Bikes cost 4 euros. Bicycles on loan cost 2.", False),
    ],
)
def test_what_the_page_itself_names_is_met_by_no_synonym(
    question: str, page: str, *, is_met: bool
) -> None:
    """S0-16: to an embedder a landlord is much like a tenant."""
    words = words_with(page.split(maxsplit=1)[0], page)

    found = judged(question, in_context(words, None, question=question), likeness=LIKENESS)

    assert found.is_met is is_met


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Which fees are metioned for the hall?", "The hall has fees of 4 and 9 euros."),
        ("Quand faut-il fermer la grille ?", "La grille ferme \u00e0 minuit."),
    ],
)
def test_a_word_of_form_misspelt_and_a_time_without_figures_are_understood(
    question: str, sentence: str
) -> None:
    assert match(question, sentence).is_met


@pytest.mark.parametrize(
    ("question", "text", "is_more"),
    [
        ("What does the harbour survey 2031 say of boats?", "Harbour Survey 2031.", False),
        ("How do boats reach the harbour?", "Boats must reach the harbour.", True),
        ("Are boats allowed in the harbour?", "Boats are allowed in the harbour.", True),
        ("Who says that \u201cboats are late\u201d?", "Boats are late.", True),
    ],
)
def test_the_question_said_again_is_no_answer(question: str, text: str, *, is_more: bool) -> None:
    assert says_more(question, text) is is_more


def test_a_word_that_the_question_names_itself_stands_for_no_other() -> None:
    """S0-16: who asks for revenue and profit is not answered by the revenue twice."""
    sentence = "Revenue was 64 million euros in 2030."

    assert match("What was the profit in 2030?", sentence).is_met
    assert not match("What were revenue and net profit in 2030?", sentence).is_met


def test_two_words_may_be_one_in_another_language() -> None:
    """A "rain coat" is an "impermeable", which neither "rain" nor "coat" comes near."""
    near = {"borrow": 0.6, "rain": 0.35, "coat": 0.4, "rain coat": 0.7, "borrow rain": 0.9}
    likeness = Likeness(lambda word, _: near[word], same=0.53, across=0.5)
    asked, said = ["borrow", "rain", "coat"], ["impermeables", "prestan"]

    assert likeness.is_about(asked, said, question="Where can I borrow a rain coat?")
    assert not likeness.is_about(asked, said, question="Borrow when it rains, or the coat?")


def test_to_an_embedder_colours_are_alike_and_to_a_reader_they_are_not() -> None:
    given = SentenceInContext("A white lamp at the cooler means warm milk.", "", "")
    near_all = Likeness(lambda _word, _others: 1.0, same=1.0, across=0.5)

    found = judged("What does the yellow lamp of the cooler mean?", given, likeness=near_all)

    assert found.unmet == ("yellow",)


def test_a_long_question_does_not_lose_the_code_that_it_asks_about() -> None:
    """Of its many words a few may be missing; another code in the place of one is another thing."""
    question = (
        "In the plan of the river ports, is quay NB03 part of the harbour of the northern bank?"
    )
    passage = "Plan of river ports. Northern bank harbour quays: Marl Quay NB02, Salt Quay NB03."

    own, other = (
        match(question, sentence, passage=passage)
        for sentence in ("Salt Quay NB03", "Marl Quay NB02")
    )

    assert own.is_met
    assert not other.is_met


_BASIN: Final = "The large basin is 12 metres deep and 40 metres large."
_BECKEN: Final = "Das neue Becken ist 12 Meter tief."


@pytest.mark.parametrize(
    ("question", "sentence", "is_met"),
    [
        ("How deep is the large basin?", _BASIN, True),
        ("How deep is the small basin?", _BASIN, False),
        ("How large is the basin?", _BASIN, True),
        ("Wie tief ist das neue Becken?", _BECKEN, True),
        ("Wie tief ist das alte Becken?", _BECKEN, False),
        ("Wie alt ist das Becken?", "Das Becken besteht seit 3 Jahren.", True),
        ("WIE GROSS DARF EINE LAUBE SEIN?", "Eine Laube darf 24 m\u00b2 haben.", True),
        ("Wie gross darf eine Laube sein?", "Eine Laube darf 24 m\u00b2 haben.", True),
        ("Wie gross darf eine Laube sein?", "Eine Laube darf blau sein.", False),
        ("Wie heiss darf eine Sauna sein?", "Eine Sauna darf 95 \u00b0C haben.", True),
        ("What is the gross rent?", "The net rent is 700 euros.", False),
    ],
)
def test_a_large_thing_is_not_asked_about_by_how_large_it_is(
    question: str, sentence: str, *, is_met: bool
) -> None:
    """To an embedder any two of these words are alike."""
    given = SentenceInContext(sentence, "", "")
    near_all = Likeness(lambda _word, _others: 1.0, same=1.0, across=0.5)

    assert judged(question, given, likeness=near_all).is_met is is_met


@pytest.mark.parametrize(
    ("question", "is_met"),
    [
        ("What was the revenue in 2031?", True),
        ("What was the revenue in 2030?", False),
        ("What was the revenue in the third quarter of 2031?", True),
        ("Wie hoch war die Revenue im dritten Quartal 2031?", True),
        ("What was the revenue in the second quarter of 2031?", False),
    ],
)
def test_a_row_is_of_the_years_and_quarters_of_its_columns(*, question: str, is_met: bool) -> None:
    """Another table of its passage speaks of another year."""
    row = SentenceInContext(
        "Revenue, Q3 2031: 40, Q4 2031: 52",
        "Figures by quarter",
        "Revenue, 2031: 180, 2030: 164. Second.",
        is_named_row=True,
    )

    assert judged(question, row, likeness=None).is_met is is_met


@pytest.mark.parametrize(("quarter", "is_met"), [("fourth", True), ("third", False)])
def test_a_head_over_the_names_of_quarters_is_read_with_them(quarter: str, *, is_met: bool) -> None:
    row = SentenceInContext(
        "Revenue, Quarter First: 40, Quarter Second: 44, Quarter Fourth: 52", "Report 2031", ""
    )

    found = judged(f"What was the revenue in the {quarter} quarter?", row, likeness=None)

    assert found.is_met is is_met


def test_a_row_of_years_is_of_no_quarter() -> None:
    row = SentenceInContext(
        "Revenue, 2031: 180, 2030: 164",
        "Income statement",
        "Revenue, Q3 2031: 40, Q4 2031: 52",
        is_named_row=True,
    )

    assert judged("What was the revenue in 2031?", row, likeness=None).is_met
    assert not judged("What was the revenue in Q3 2031?", row, likeness=None).is_met


@pytest.mark.parametrize(
    ("sentence", "is_time"),
    [
        ("Der Aushang gilt f\u00fcr den Jahrmarkt.", False),
        ("Der Aushang gilt f\u00fcr den Tagungsraum.", False),
        ("Der Aushang gilt zum Jahresende.", True),
        ("Der Aushang gilt an Wochentagen.", True),
        ("Der Aushang gilt in den Sommerferien.", True),
        ("Der Aushang gilt abends.", True),
    ],
)
def test_a_german_word_that_begins_with_a_time_need_not_be_one(
    *, sentence: str, is_time: bool
) -> None:
    assert (match("Wann gilt der Aushang?", sentence).kind is None) is is_time


def test_a_path_is_a_place_and_milliseconds_are_abbreviated() -> None:
    assert match("Where is the stamp?", "Remove the stamp /var/kiln/stamp.").is_met
    assert not match("Where is the stamp?", "Remove the stamp and/or label.").is_met
    assert match("After how many milliseconds does it wait?", "It did wait for 900 ms.").is_met
    assert not match("After how many milliseconds does it wait?", "It did wait for 900 m.").is_met


@pytest.mark.parametrize("cost", ["cost", "total cost", "annual fee"])
def test_a_cost_of_any_extent_is_an_amount(cost: str) -> None:
    said = "This report of the ferry covers July."

    assert match(f"What was the {cost} of the ferry in July?", said).kind == "money"


@pytest.mark.parametrize(
    ("question", "is_met"),
    [
        (
            "What budget did the council's meeting no. 88 approve to repair the boat shed roof?",
            True,
        ),
        (
            "What budget did the council's meeting no. 888 approve to repair the boat shed roof?",
            False,
        ),
        ("What budget did the Saltby Harbour meeting approve to repair the boat shed roof?", False),
        ("What budget did the meeting approve for repair of the boat shed roof (in Rupee)?", True),
        ("What did the meeting approve that repair of the boat shed costs 750 a roof?", True),
        ("What budget did the council's meeting approve soon to repair the boat shed roof?", True),
        (
            "What budget of 500 euros did the council's meeting approve to repair the shed roof?",
            True,
        ),
    ],
)
def test_a_long_question_loses_no_number_and_no_name_of_what_it_means(
    question: str, *, is_met: bool
) -> None:
    said = "It approved a budget of 54,000 euros to repair the roof of the boat shed."
    found = match(question, said, governing="Minutes of the council's meeting no. 88")

    assert found.terms > FEW_TERMS
    assert found.is_met is is_met
