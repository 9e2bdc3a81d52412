"""What is asked for and said in Portuguese, Dutch, Spanish, Italian, Chinese and Japanese."""

from collections.abc import Sequence

import pytest

from pulsedocs.answering.asked.forms import is_said_in_dutch
from pulsedocs.answering.asked.judging import judged
from pulsedocs.answering.asked.kinds import missing_kind
from pulsedocs.answering.asked.match import Likeness, SentenceInContext
from pulsedocs.answering.asked.parts import questions_in
from pulsedocs.answering.asked.ranges import in_range_of
from pulsedocs.answering.reading import reading_of
from pulsedocs.model.answers import Reading


def alone(text: str, *, under: str = "") -> SentenceInContext:
    return SentenceInContext(text, governing=under, passage=text)


KINDS = [
    (
        "\u00bfD\u00f3nde est\u00e1n los chalecos?",
        "Los chalecos son naranjas.",
        "Los chalecos est\u00e1n debajo de los asientos.",
    ),
    (
        "Wann f\u00e4hrt die F\u00e4hre nicht?",
        "Die F\u00e4hre f\u00e4hrt nicht.",
        "Bei Sturm f\u00e4hrt die F\u00e4hre nicht.",
    ),
    (
        "When does the ferry not run?",
        "The ferry does not run.",
        "The ferry does not run in stormy weather.",
    ),
    (
        "In welchem Stock ist die Kapelle?",
        "Die Kapelle ist neben der Bibliothek.",
        "Die Kapelle ist im dritten Stock.",
    ),
    ("On which floor is the spa?", "The spa is warm.", "The spa is in the basement."),
    ("De que cor \u00e9 a touca?", "A touca \u00e9 obrigat\u00f3ria.", "A touca \u00e9 vermelha."),
    ("Welke kleur heeft de deur?", "De deur is dicht.", "De deur is groen."),
    (
        "Quanto custam as aulas de dan\u00e7a?",
        "As aulas de dan\u00e7a s\u00e3o para crian\u00e7as de 5 anos.",
        "As aulas de dan\u00e7a custam 12 euros.",
    ),
    ("Wat kosten de lessen?", "De lessen zijn op maandag.", "De lessen kosten 12 euro."),
    (
        "Quanto costa una copia a colori?",
        "Chi perde una copia la ricompra.",
        "Una copia a colori costa 30 centesimi.",
    ),
    (
        "Quantos andares tem a casa?",
        "A casa \u00e9 de quem l\u00e1 vive.",
        "A casa tem tr\u00eas andares.",
    ),
    ("Hoeveel banen zijn er?", "De banen worden schoongemaakt.", "Er zijn zes banen."),
    ("Hoe warm is het water?", "Het water wordt ververst.", "Het water is 28 graden."),
    (
        "Qual \u00e9 a temperatura da \u00e1gua?",
        "A \u00e1gua muda-se \u00e0 noite.",
        "A \u00e1gua est\u00e1 a 28 graus.",
    ),
    ("Hoe lang duurt de cursus?", "De cursus is voor volwassenen.", "De cursus duurt tien weken."),
    (
        "Quante volte si rinnova il prestito?",
        "Il prestito si rinnova allo sportello.",
        "Il prestito si rinnova una sola volta.",
    ),
    ("Hoe vaak wordt de lift nagekeken?", "De lift wordt nagekeken.", "Dat gebeurt elke maand."),
    (
        "Wie houdt de sleutel?",
        "De sleutel past op de voordeur.",
        "De sleutel houdt mevrouw De Graaf.",
    ),
    ("Onde se guardam as bicicletas?", "As bicicletas guardam-se.", "Guardam-se na cave."),
    ("Waar staan de fietsen?", "De fietsen mogen blijven staan.", "Ze staan achter het huis."),
    (
        "\u5b9a\u54e1\u306f\u4f55\u4eba\u3067\u3059\u304b\uff1f",
        "\u6559\u5ba4\u306f5\u6b73\u304b\u3089\u53c2\u52a0\u3067\u304d\u307e\u3059\u3002",
        "\u5b9a\u54e1\u306f12\u540d\u3067\u3059\u3002",
    ),
    (
        "\u81ea\u4e60\u5ba4\u6709\u51e0\u53f0\u7535\u8111\uff1f",
        "\u81ea\u4e60\u5ba4\u6709\u0036\u0030\u4e2a\u5ea7\u4f4d\u3002",
        "\u81ea\u4e60\u5ba4\u6709\u56db\u53f0\u7535\u8111\u3002",
    ),
    (
        "Hoe vaak moet het filter schoon?",
        "Maak het filter goed schoon.",
        "Maak het filter wekelijks schoon.",
    ),
    ("Hoeveel dagen duurt de cursus?", "De cursus is voor leden.", "De cursus duurt drie dagen."),
    ("Hoeveel korting krijgt een student?", "Een student krijgt korting.", "Dat is 20% korting."),
    ("Quanto dura il corso?", "Il corso si tiene in sede.", "Il corso \u00e8 annuale."),
]


@pytest.mark.parametrize(("question", "beside", "answer"), KINDS)
def test_an_answer_holds_what_is_asked_for_in_its_language(
    question: str, beside: str, answer: str
) -> None:
    assert judged(question, alone(beside), likeness=None).kind is not None
    assert judged(question, alone(answer), likeness=None).kind is None


@pytest.mark.parametrize("price", ["\u4e09\u89d2", "60\u5143", "\u514d\u8d39"])
def test_small_change_and_nothing_to_pay_are_prices_in_chinese(price: str) -> None:
    page = alone(f"\u590d\u5370\u6bcf\u9875{price}\u3002")

    assert (
        judged("\u590d\u5370\u4e00\u9875\u591a\u5c11\u94b1\uff1f", page, likeness=None).kind is None
    )


def test_a_heading_in_capitals_names_nobody() -> None:
    lease = alone("El arrendatario paga 720 euros.", under="CONTRATO DE ARRENDAMIENTO DE VIVIENDA")

    assert missing_kind("\u00bfQui\u00e9n es el inquilino?", lease) == "person"


def test_hours_from_when_to_when_tell_of_opening_beside_a_day_of_closing() -> None:
    hours = alone("S\u00e1bado: das 9h00 \u00e0s 18h00. Encerra aos domingos.")

    assert missing_kind("A que horas abre a piscina ao s\u00e1bado?", hours) is None


@pytest.mark.parametrize(
    "question",
    [
        "\u00c9 permitido fumar?",
        "Posso ter um gato?",
        "Pode-se correr?",
        "Tenho de usar touca?",
        "Mag mijn hond mee?",
        "Is de club op zondag open?",
        "Moet ik een helm dragen?",
        "Serve la cuffia?",
        "\u00bfSe admiten perros?",
    ],
)
def test_what_is_asked_with_yes_or_no_is_left_to_be_read(question: str) -> None:
    assert reading_of(question) is Reading.YES_NO


@pytest.mark.parametrize(
    "question",
    [
        "Que faut-il emporter ?",
        "Wanneer is de club open?",
        "Quando abre o clube?",
        "Do czego s\u0142u\u017cy klucz?",
    ],
)
def test_an_open_question_is_none_of_yes_or_no(question: str) -> None:
    assert reading_of(question) is None


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("desde los 7 a\u00f1os", "\u00bfPuede entrar un ni\u00f1o de 8 a\u00f1os?"),
        ("a partire da 14 anni", "Si noleggia a chi ha 15 anni?"),
        ("sotto i 3 anni", "Un bambino di 2 anni paga?"),
        ("a partir dos 5 anos", "Uma crian\u00e7a de 6 anos pode entrar?"),
        ("at\u00e9 aos 4 anos", "Uma crian\u00e7a de 3 anos paga?"),
        ("vanaf 6 jaar", "Mag een kind van 8 jaar meedoen?"),
        ("onder de 4 jaar", "Betaalt een kind van 3 jaar?"),
        ("\u00e0 partir de 12 ans", "Un enfant de 13 ans peut-il entrer ?"),
        ("from 7 years", "May a child of 8 years join?"),
    ],
)
def test_a_range_holds_what_lies_in_it(said: str, question: str) -> None:
    assert said in in_range_of(f"... {said} ...", question)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("desde los 7 a\u00f1os", "\u00bfPuede entrar un ni\u00f1o de 6 a\u00f1os?"),
        ("sotto i 3 anni", "Un bambino di 3 anni paga?"),
        ("vanaf 6 jaar", "Mag een kind van 5 jaar meedoen?"),
        ("from 3 days to 6 days", "If I cancel 8 days before?"),
    ],
)
def test_a_range_holds_nothing_beyond_its_bounds(said: str, question: str) -> None:
    assert in_range_of(f"... {said} ...", question) == question


@pytest.mark.parametrize(
    ("term", "word", "is_one"),
    [
        ("reserveer", "gereserveerd", True),
        ("baan", "banen", True),
        ("roken", "gerookt", True),
        ("opzeggen", "opgezegd", True),
        ("brief", "brieven", True),
        ("prijs", "huurprijs", True),
        ("huurder", "verhuurder", False),
        ("boot", "boter", False),
        ("kost", "kast", False),
    ],
)
def test_a_dutch_word_is_said_by_its_own_forms(term: str, word: str, *, is_one: bool) -> None:
    assert is_said_in_dutch(term, frozenset({word})) is is_one


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Quando abre a piscina e quanto custa a entrada?",
            ["Quando abre a piscina", "quanto custa a entrada?"],
        ),
        (
            "Quando apre la piscina e quanto costa un biglietto?",
            ["Quando apre la piscina", "quanto costa un biglietto?"],
        ),
        (
            "Wanneer is het zwembad open en hoeveel kost een kaartje?",
            ["Wanneer is het zwembad open", "hoeveel kost een kaartje?"],
        ),
    ],
)
def test_two_questions_in_one_are_two(question: str, parts: list[str]) -> None:
    assert questions_in(question) == parts


def test_words_of_another_language_are_compared_as_they_are_written() -> None:
    """To an embedder "Bienen" is near to bees, and "bienen" to nothing."""

    def nearest(word: str, others: Sequence[str]) -> float:
        return 0.6 if {word, *others} >= {"abejas", "Bienen"} else 0.2

    text = "Die Bienen werden hinter dem Obstgarten gehalten."
    given = SentenceInContext(text, "", passage=text, is_foreign=True)
    match = judged(
        "\u00bfD\u00f3nde est\u00e1n las abejas?", given, likeness=Likeness(nearest, 0.7, 0.5)
    )

    assert match.is_met
