"""Questions that no sentence answers by itself: what it says has to be read, counted or compared.

Without a chat model the documents' own words are shown, and the answer says what they leave to do.
"""

import re
from collections.abc import Sequence
from typing import Final

from pulsedocs.answering.asked.closed import asks_yes_or_no
from pulsedocs.answering.asked.counted import things_counted
from pulsedocs.answering.asked.document import Aspect, asked_of_document
from pulsedocs.answering.asked.terms import PART
from pulsedocs.answering.asked.things.measures import UNIT
from pulsedocs.answering.languages import SMALL_IN_ANY, words_listed
from pulsedocs.answering.told import told_to
from pulsedocs.answering.wording import normalise
from pulsedocs.model.answers import Note, Reading

_WORDS_BETWEEN: Final = 3  # a number and what is counted: "30 paid working days"
_STEM: Final = 4  # letters that forms of what is counted share: "day", "days"; "libro", "libri"

_NO_FIGURE: Final = (
    r"(?!\W*(?:\d|one\b|two\b|three\b|half\b|a\b|once\b|twice\b|ein|zwei|drei|un|deux|dos|twee"
    r"|drie))"
)
"""Who asks for expenses of more than 500 euros compares nothing."""
_COMPARATIVE: Final = (
    r"(?:(?:high|low|larg|bigg|small|great|long|short|old|young|fast|slow|quick|cheap|dear|heavi|light"
    r"|earli|lat|strong|weak|wid|deep|new|saf|clean|warm|cold|hott|cool|dri|wett|thick|thinn|tall|near"
    r"|clos|easi|hard|rich|poor|quiet|loud|bright|dark|soft|simpl|healthi|busi|steep|hardi|sharp)er"
    r"|h\u00f6her|niedriger|gr\u00f6\u00dfer|kleiner|l\u00e4nger|k\u00fcrzer|\u00e4lter|j\u00fcnger|schneller"
    r"|langsamer|teurer|billiger|g\u00fcnstiger|schwerer|leichter|fr\u00fcher|sp\u00e4ter|besser"
    r"|st\u00e4rker|breiter|tiefer|neuer|sicherer|w\u00e4rmer|k\u00e4lter|better)"
)
"""Not any word in "er": water or heating are no sides of a comparison."""
_COMPARISON: Final = re.compile(
    r"\b(?:more|less|(?!other|rather|ever|whether|number)\w{2,}er|worse)\s"
    rf"(?:\S+\s){{0,6}}?than\b{_NO_FIGURE}"
    r"|\b(?:compare[ds]?|comparison|versus|vs\.?|differ from"
    r"|differences? (?:\w+ ){0,3}between)(?!\w)"
    # The first of each on its line, and no other: 8,000 signs of "what more" took 13 s.
    r"|(?m:^)(?>.*?\b(?:which|who|what|welche[rsn]?|wer|was)\b)"
    rf"(?>.*?\b(?:{_COMPARATIVE}|more|less|worse|mehr|weniger)\b).*\b(?:or|oder)\b"
    r"|\b(?:mehr|(?!oder|aber|immer|\w*eiter)\w{3,}er(?:e[rnsm]?)?)\s(?:\S+\s){0,6}?als\b"
    rf"{_NO_FIGURE}|\b(?:vergleich|verglichen|unterschied)\w*|\bunterscheide\w*"
    r"|\b(?:plus|moins)\s(?:de\s)?\S+\s(?:\S+\s){0,4}?(?:que\s|qu['\u2019])"
    r"|\bcompar(?:er|\u00e9e?s?|aison|ad[oa]s?|aci\u00f3n|ar|at[oa])\b"
    r"|\b(?:m[\u00e1a]i?s|menos|mayor|maior|menor|mejor|peor)\s(?:\S+\s){0,5}?que\b"
    rf"|\b(?:meer|minder|\w{{3,}}er)\s(?:\S+\s){{0,6}}?dan\b{_NO_FIGURE}",
    re.IGNORECASE,
)
_SUM: Final = re.compile(
    r"\b(?:sum of|combined|altogether|added up|add up|in total|taken together|average|how much"
    r" (?:more|less|higher|lower|longer|shorter|cheaper|larger|smaller)|by how (?:much|many)"
    r"|how (?:much|many|heavy|long)\b[^?]* (?:together|plus (?:an?|one|the))|how"
    r" many (?:more|fewer|times)|percentage (?:change|increase|decrease)|total (?:of|number|amount"
    r"|cost|costs|sum|price|length|weight))\b"
    r"|\b(?:insgesamt|zusammengerechnet|wie ?viel[^?]* zusammen|summe|durchschnitt\w*"
    r"|um wie ?viel|wie ?viel (?:mehr"
    r"|weniger|h\u00f6her|niedriger|teurer|l\u00e4nger))\b"
    r"|\b(?:au total|en tout|combien[^?]* ensemble|somme|moyenne|combien de plus|de combien)\b"
    r"|\b(?:en total|suma|promedio|cu\u00e1nto m\u00e1s)\b|\b(?:in totale|somma|la media)\b"
    r"|\b(?:ao todo|soma|quanto mais|in totaal|bij elkaar|gemiddelde?)\b",
    re.IGNORECASE,
)
_BOUND: Final = (
    r"\b(?:(?:below|under|above|over|(?:less|more|fewer) than|unter"
    r"|\u00fcber|moins de|plus de|menos de|m\u00e1s de)\s\W?\d[\d.,]*"
    r"|(?:after|before|since|nach|vor|seit|apr\u00e8s|avant|depuis|despu\u00e9s de|antes de|desde"
    r"|dopo il|prima del|dal)\s(?:19|20)\d\d\b)"
)
_CHOICE: Final = re.compile(
    r"\b(?:(?:high|low|larg|bigg|small|great|long|short|old|young|fast|slow|quick|cheap|dear"
    r"|heavi|light|earli|lat|strong|weak|wid|deep|new|tall|near|busi)est|(?<!at )(?:most|least)"
    r"|fewest|best|worst|h\u00f6chste|niedrigste|gr\u00f6\u00dfte|kleinste|l\u00e4ngste|k\u00fcrzeste|\u00e4lteste|neueste|teuerste"
    r"|billigste|g\u00fcnstigste|schnellste|schwerste|leichteste|st\u00e4rkste|fr\u00fcheste|sp\u00e4teste"
    r"|meisten|wenigsten)[rnms]?\b"
    r"|\b(?:le|la|les) (?:plus|moins)\b|\b(?:il|la|lo|i|gli|le)\s(?:\w+\s)?(?:pi\u00f9|meno)\b"
    r"|\b(?:el|la|los|las)\s(?:\w+\s)?(?:m\u00e1s|menos|mayor|menor)\b"
    r"|\b[oa]s?\s(?:[^\W\d_]+\s)?(?:mais|menos)\s(?!tardar)"
    r"|\b(?:goedkoop|duur|lang|kort|groot|klein|oud|jong|hoog|laag|snel|zwaar|vroeg|laat)ste\b"
    rf"|{_BOUND}"
    r"|\b(?:below|under|above|over)\s(?:their|its|the)\s(?:\w+\s)?(?:average|budget|level|limit|maximum|minimum"
    r"|target|threshold)\b",
    re.IGNORECASE,
)
"""Who asks which has the largest, or has less than 20, asks for a choice among several."""
_WHICH: Final = re.compile(
    r"\b(?:which|who|whose|what \w+s? (?:has|have|had|costs?)|welche[rsnm]?|wer|wessen|qui"
    r"|quel(?:le)?s? (?!est\b|sont\b)|qu\u00e9 (?!es\b|son\b)|qui\u00e9n"
    r"|cu\u00e1l(?:es)? (?:de|tiene)|quale?\s|qual[ei]s\s|chi\b|quem\b|welke?\b)",
    re.IGNORECASE,
)
"""What the largest one is may be stated, but not by a row of a table."""
_IN_ORDER: Final = re.compile(
    r"\b(?:first|last)\s(?!(?:and )?(?:name|year|month|week|night|quarter|time|class|aid)s?\b)"
    r"|\b(?:erste|letzte)[rnsm]?\s(?!(?:jahr|monat|woche|nacht|quartal|mal|klasse|hilfe))"
    r"|\b(?:premi(?:er|\u00e8re)|dern(?:ier|i\u00e8re)|primer[oa]?|\u00faltim[oa]|ultim[oa])\s",
    re.IGNORECASE,
)
"""Of the rows of a timetable."""
_EXTREME: Final = re.compile(r"\b(?:maxim\w+|minim\w+|peak|record|top|only)\b", re.IGNORECASE)
_STATED: Final = re.compile(
    r"\b(?:total\w*|sum|average\w*|mean|combined|altogether|overall|insgesamt|gesamt\w*|summe"
    r"|durchschnitt\w*|somme|moyenne|suma|promedio|somma|media|more|less|higher|lower|rose"
    r"|fell|increase\w*|decrease\w*)\b",
    re.IGNORECASE,
)
"""Words with which a sentence states what was computed from others."""
_SENTENCE_END: Final = re.compile(r"\n|[.!?;]\s")
_LABEL: Final = re.compile(r"(?<=[^\W\d_]) \d{1,3}(?:\s?[-\u2013,]\s?\d{1,3}){0,4}\b(?! [^\W\d_])")
"""The number of one thing, behind its name: "step 3", "markets 4-11"."""
_CODE: Final = re.compile(r"\b[^\W\d_]{1,5}-?\d[\w-]*")
_NUMERALS: Final = words_listed(
    """one two three four five six seven eight nine ten eleven twelve no ein eine einen zwei drei
    vier f\u00fcnf sechs sieben acht neun zehn elf zw\u00f6lf un une deux trois quatre cinq sept
    huit neuf dix onze douze uno una dos tres cuatro cinco seis siete ocho nueve diez due tre
    quattro cinque sei sette otto nove dieci um uma dois duas tr\u00eas quatro oito dez
    een \u00e9\u00e9n twee drie vier vijf zes zeven negen tien elf twaalf"""
)
_SMALL: Final = SMALL_IN_ANY - _NUMERALS
_COMPARING: Final = re.compile(
    r"(?:high|low|larg|bigg|small|great|long|short|old|young|fast|slow|cheap|heav[iy]|light|earl[iy]"
    r"|lat|strong|weak|wid|deep)e?r|more|less|fewer|better|worse|than|compared?|comparison|versus|vs"
    r"|combined|altogether|together|added|difference|differ|exceeds?"
    r"|h\u00f6her\w*|niedriger\w*|gr\u00f6\u00dfer\w*|kleiner\w*|l\u00e4nger\w*|k\u00fcrzer\w*|teurer\w*"
    r"|billiger\w*|g\u00fcnstiger\w*|schneller\w*|langsamer\w*|schwerer\w*|leichter\w*|mehr|weniger"
    r"|insgesamt|zusammen\w*|summe|durchschnitt\w*|vergleich\w*|unterschied\w*|zwischen"
    r"|plus|moins|somme|moyenne|cher|chers|ch\u00e8res?|longue?s?|m\u00e1s|menos|mayor|menor|suma"
    r"|promedio|car[oa]s?|larg[oa]s?"
)


def reading_of(question: str) -> Reading | None:
    """Return what a question asks to be done with what the documents say; None to be told it."""
    if asked_of_document(question) is Aspect.OVERVIEW:
        return Reading.OVERVIEW
    text = question.replace("\u2019", "'")
    if _SUM.search(text):
        return Reading.SUM
    if _COMPARISON.search(text):
        return Reading.COMPARISON
    if things_counted(text):
        return Reading.COUNT
    return Reading.YES_NO if asks_yes_or_no(text) else None


def note_on(
    question: str,
    shown: str,
    *,
    rows: Sequence[str] = (),
    unanswered: Sequence[str] = (),
    rows_left: int = 0,
    may_be_more: bool = False,
) -> Note | None:
    """Return what quoted words leave to their reader; None where they state what was asked.

    `rows` are those of tables among the words, without the heads that are quoted with them.
    """
    texts = told_to(question)
    if unanswered:
        parts = "; ".join(part.strip(" ?¿") for part in unanswered)
        return Note(Reading.PART, texts.part.format(parts))
    told = _left_to_do(question, shown, rows)
    if rows_left:
        more = texts.rows.format(rows_left)
    elif may_be_more:
        more = texts.more
    else:
        return told
    return Note(told.kind, f"{told.message} {more}") if told else Note(Reading.PART, more)


def _left_to_do(question: str, shown: str, rows: Sequence[str]) -> Note | None:
    reading = reading_of(question)
    if reading is None and _leaves_choice(question, shown, rows):
        reading = Reading.COMPARISON
    if reading is None or (reading is Reading.SUM and _STATED.search(shown)):
        return None
    if reading is Reading.COUNT and states_count(question, shown):
        return None
    return Note(reading, told_to(question).of(reading))


def _leaves_choice(question: str, shown: str, rows: Sequence[str]) -> bool:
    if rows:
        return chooses_row(question) and not (len(rows) == 1 and _says_choice(rows[0]))
    asks_which = _WHICH.search(question) is not None and _CHOICE.search(question) is not None
    return asks_which and not _says_choice(shown)


def chooses_row(question: str) -> bool:
    """Say whether a question asks for one of several rows: the cheapest, the last, after 2020."""
    return any(one.search(question) for one in (_CHOICE, _IN_ORDER))


def without_bound(question: str) -> str:
    """Return a question without the figure that what is asked for lies beyond: no row has it."""
    return re.sub(_BOUND, " ", question, flags=re.IGNORECASE)


def _says_choice(shown: str) -> bool:
    """Say whether words make a choice themselves: "the largest team is sales"."""
    return _CHOICE.search(shown) is not None or _EXTREME.search(shown) is not None


def states_count(question: str, shown: str) -> bool:
    """Say whether a number stands beside what a question counts: "30 days", "employees: 300".

    That of a code is none: "order A-17".
    """
    counted = [normalise(first).text for first in things_counted(question)]
    for sentence in _SENTENCE_END.split(_CODE.sub(" ", shown)):
        words = [normalise(word).text for word in PART.findall(sentence)]
        for at, word in enumerate(words):
            if any(word[:_STEM] == one[:_STEM] and word not in _SMALL for one in counted):
                near = words[max(0, at - _WORDS_BETWEEN) : at + _WORDS_BETWEEN]
                if any(one in _NUMERALS or one[:1].isdigit() for one in near):
                    return True
    return False


def is_left_to_count(question: str, text: str) -> bool:
    """Say whether a text leaves it to its reader to count what a question counts.

    It does not where it states a number of them; "step 3" is none. Litres or percent are measured.
    """
    counted = things_counted(question)
    is_measured = any(map(UNIT.fullmatch, counted))
    return bool(counted) and not is_measured and not states_count(question, _LABEL.sub(" ", text))


def names_no_subject(term: str) -> bool:
    """Say whether a word of a question only says how two things are to be compared or added."""
    return _COMPARING.fullmatch(term) is not None
