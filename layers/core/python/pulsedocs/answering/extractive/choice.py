"""What is shown: the best sentence, what adds to it, and what has to be read with it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache, partial
from typing import Final, TypeAlias

from pulsedocs.answering.around.headings import is_heading
from pulsedocs.answering.around.lists import lead_of, list_under
from pulsedocs.answering.around.neighbours import next_to, with_its_term, with_one_before
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.kinds import missing_kind
from pulsedocs.answering.asked.match import QuestionMatch, SentenceInContext
from pulsedocs.answering.asked.named import NAME
from pulsedocs.answering.asked.terms import telling_words, terms_of
from pulsedocs.answering.extractive.candidates import (
    HOW_TO,
    MARGIN,
    Read,
    Scored,
    log_odds,
    stands_alone,
)
from pulsedocs.answering.passages import Words
from pulsedocs.answering.sentences import is_ended, is_item, is_row, split_sentences
from pulsedocs.answering.wording import alike_but_for_figures, differ_in_one_place, repeats
from pulsedocs.model.days import standing
from pulsedocs.model.documents import name_of
from pulsedocs.model.tables import BAR

MAX_SENTENCES: Final = 4
MAX_ROWS: Final = 50  # of a table of which all are asked for
_SAME_MATTER = 0.8  # of the shorter one's words: two documents speak of the same
_EVEN = 0.0  # log-odds: as likely right as wrong
_FIRST: Final = re.compile(
    r"(?:^\W*|[,;:]\s|\b(?:must|should|please)\s)first(?:ly)?\b(?! (?:aid|class|floor))"
    r"|\b(?:zuerst|zun\u00e4chst|d['\u2019]abord|primero,|anzitutto)",
    re.IGNORECASE,
)
_THEN: Final = re.compile(
    r"\W*(?:then|next|after (?:that|this)|afterwards|finally|lastly|dann|danach|anschlie\u00dfend"
    r"|zuletzt|schlie\u00dflich|ensuite|puis|enfin|luego|despu\u00e9s|finalmente|poi|dopo|infine)\b",
    re.IGNORECASE,
)
"""How the steps of a procedure follow each other in a paragraph."""
_VERBS: Final = (
    "add|adjust|apply|attach|check|choose|clean|clear|click|close|confirm|connect|copy|cover|cut"
    "|delete|disconnect|drain|dry|empty|enter|fasten|fill|fit|fold|hold|insert|install|keep|leave"
    "|lift|loosen|lower|mix|move|open|pick|place|plug|pour|press|pull|push|put|raise|refill|release"
    "|remove|repeat|replace|restart|return|rinse|rotate|run|save|screw|select|send|set|shake|slide"
    "|start|stir|stop|switch|take|tap|tighten|tick|tie|turn|type|undo|unplug|unscrew|wait|wash|wipe"
    "|write"
)
_TO_DO: Final = re.compile(
    rf"(?:To (?:\w+ ){{1,6}}?\w+, )?(?:{_VERBS})\s(?!(?:is|are|was|were|has|have|of)\b)"
    r"|(?:Um [^,.;]{3,60} zu \w+, )?\w{2,20}en (?-i:Sie)\b"
    r"|(?:Pour [^,.;]{3,60}, )?(?!(?:chez|assez|rez)\b)\w{2,20}ez\b(?!-vous)",
    re.IGNORECASE,
)
"""How a sentence begins that says what to do: "To vent the pump, open the screw", "Drehen Sie"."""
_LEANS: Final = re.compile(
    r"(?:He|She|They|These(?!\s[A-Z])|Er|Sie (?:sind|haben)|Elle|Ils|Elles|Ella|Ellos|Ellas|Lui|Lei"
    r"|Loro)\s"
    r"|(?:But|However,|Otherwise,?|Aber|Sonst|Mais|Sinon,?|Pero|Si no,|Ma|Altrimenti,?)\s"
    # "It is possible to" and "It takes an hour to" mean nothing before, "It has to be" does.
    r"|It\s(?!(?:(?:has|will|would|may|might|can|must|should)\s)?"
    r"(?:is|was|been?|seems|appears|takes|took|helps)\s(?:\w+\s){0,3}(?:to|that|who|if|whether)\b)"
    r"|This\s(?:will|can|may|must|should|was|had|\w*[^\Ws]s|option|command|setting)\b"
    r"|(?:If|When|With|Without)\s(?:this|these|it)\b"
)
"""How a sentence begins that leans on the one before: who reads it alone has to be told on what."""
_LEANS_BACK: Final = 2  # sentences: the one before may lean itself
WHAT_TO_DO: Final = re.compile(
    r"\bwhat (?:to do|(?:do|can|should|must|shall) (?:i|we|you|one) do)\b"
    r"|\bwas (?:mache[nt]?|tun?e?) (?:ich|man|wir|sie)\b|\bwas tun\b|\bwas ist\b.*\bzu tun\b"
    r"|\bwas (?:muss|soll\w*|kann) (?:ich|man|wir|sie)\b.*\b(?:tun|machen)\b"
    r"|\bque (?:faire|(?:dois-je|faut-il|peut-on) faire)\b|\bqu\u00e9 (?:hago|(?:debo )?hacer)\b"
    r"|\bcosa (?:faccio|(?:devo )?fare)\b|\bque (?:fa\u00e7o|(?:devo )?fazer)\b"
    r"|\bwat te doen\b|\bwat (?:doe|moet|kan) (?:ik|je|men|we)\b.*\bdoen\b",
    re.IGNORECASE,
)
_ASKS_SEVERAL: Final = re.compile(
    r"\b(?:(?:which|what) (?!(?:is|was|does|has|costs|happens|applies)\b)\w*[^\Ws]s|what are|lists?"
    r"|(?:which|what) \w+ \w*[^\Ws]s (?:are|were|have|do|exist|apply|can|may|must)\b"
    # Of these nouns one is many things.
    r"|(?:which|what) (?:\w+ )?(?:(?:hard|soft)ware|equipment|gear|clothing|furniture|luggage"
    r"|baggage|cutlery|crockery|paperwork|documentation|evidence|information)\b"
    r"|(?<!at )all|steps|welche|alle[ns]?|quel(?:le)?s|cu\u00e1les|quali|quais"
    r"|welke \w{2,}(?:en|s))\b",
    re.IGNORECASE,
)
_WHAT: Final = (
    r"(?:what|which|was|welche[rsnm]?|quel(?:le)?s?|qu(?:e|\u00e9|oi|ali)|qu['\u2019]est-ce"
    r"|(?:che )?cosa|o que|wat|welke?)\b"
)
_WHAT_KIND: Final = re.compile(rf"\b{_WHAT}(?:\s+[^\W\d_]+){{1,2}}", re.IGNORECASE)
_ASKS_WHAT: Final = re.compile(rf"\W*{_WHAT}(?! (?:is|was|est|es|\u00e8|\u00e9)\b)", re.IGNORECASE)
_ASKS_HOW: Final = re.compile(
    r"\W*(?:how|when|where|why|wie|wann|wo|warum|comment|combien|quand|o\u00f9|pourquoi|c\u00f3mo"
    r"|cu\u00e1ndo|d\u00f3nde|come|quando|dove|perch\u00e9)\b",
    re.IGNORECASE,
)
"""Who asks which or what may mean another cell of the row."""
_VERSION: Final = re.compile(
    r"\b(?:version|v|rev(?:ision)?|fassung)[\s.:-]{0,2}(\d{1,4}(?:\.\d{1,4}){0,3})\b", re.IGNORECASE
)
_VERSION_LINE: Final = re.compile(rf"^\W{{0,4}}{_VERSION.pattern}", re.IGNORECASE | re.MULTILINE)


Judged: TypeAlias = tuple[Scored, QuestionMatch]
"""What may answer, and how it meets the question."""


def asks_several(question: str) -> bool:
    return _ASKS_SEVERAL.search(question) is not None


def best_of(meeting: Sequence[Judged]) -> list[Judged]:
    """Take the best sentence and those that add to it; first what other documents say of it."""
    chosen, further = list(meeting[:1]), meeting[1:]
    if not chosen or chosen[0][0].read.lead:
        return chosen
    best = chosen[0][0]
    for pair in sorted(further, key=lambda pair: not is_counterpart(pair[0], best)):
        if _adds(pair[0], [item for item, _ in chosen]):
            chosen.append(pair)
    return chosen[:MAX_SENTENCES]


def _adds(item: Scored, chosen: Sequence[Scored]) -> bool:
    """Say whether it is a whole sentence that answers too and is not among the chosen already.

    Where even the best sentence is rather wrong than right, no other one comes with it.
    """
    if item.read.lead or not stands_alone(item.words.text):
        return False
    if any(repeats(item.words.text, other.words.text) for other in chosen):
        return False
    is_near = item.odds >= max(chosen[0].odds - MARGIN, _EVEN)
    return is_near or is_counterpart(item, chosen[0])


def is_counterpart(item: Scored, best: Scored) -> bool:
    """Say whether another document says the like: what differs may be what matters.

    Their passages may be unlike; the sentences alone are compared.
    """
    if item.words.block.document_id == best.words.block.document_id:
        return False
    is_near = log_odds(item.relevance) >= log_odds(best.relevance) - MARGIN
    texts = (item.words.text, best.words.text)
    is_alike = alike_but_for_figures(*texts) >= _SAME_MATTER or differ_in_one_place(*texts)
    return is_near and is_alike


def with_what_belongs(question: str, best: Sequence[Scored], *, today: date | None) -> list[Scored]:
    """Return sentences, the best with what has to be read with it, in reading order."""
    if best and WHAT_TO_DO.search(question):
        best = _with_what_follows(best)
    if best and (asks_several(question) or _is_asked_of_lead(question, best[0])):
        best = _with_its_list(question, best)
    if best and HOW_TO.search(question):
        best = _with_further_steps(best)
    if len(best) == 1 and best[0].read.row and _ASKS_HOW.match(question):
        best = [_sentence_alone(question, best[0])]
    if best and not (best[0].read.row or best[0].read.lead or best[0].read.by_line):
        best = _in_place_of(best, _with_what_it_leans_on(best[0].words))
    return _in_reading_order(question, best, today=today)


def _sentence_alone(question: str, row: Scored) -> Scored:
    """Return the sentence of a row's cell that answers by itself; the row where none does.

    "Traces are kept for 30 days." says all that was asked, whatever error that is the advice on.
    """
    words, terms = row.words, list(terms_of(question))
    at = words.start
    for cell in words.text.split(BAR):
        for span in split_sentences(cell):
            text = cell[span.start : span.end]
            alone = SentenceInContext(text, governing="", passage=text)
            said = words_of(text)
            is_whole = is_ended(text) and not _LEANS.match(text)
            says_all = bool(terms) and all(is_said(term, said) for term in terms)
            if is_whole and says_all and missing_kind(question, alone) is None:
                sentence = replace(words, start=at + span.start, end=at + span.end)
                return replace(row, read=Read(sentence))
        at += len(cell) + len(BAR)
    return row


def _with_what_follows(best: Sequence[Scored]) -> list[Scored]:
    """Return sentences, the best with the next one: it may say only when something is to be done.

    Of a heading that says so, it is the two sentences below; before a list, it is the list.
    """
    first, following = best[0], next_to(best[0].words)
    listed = None if first.read.lead else list_under(first.words, leads=True)
    if listed is not None:
        lead, whole = listed
        return [replace(first, read=Read(whole, lead=lead))]
    if first.read.lead or first.read.row or following is None:
        return list(best)
    words = following if is_heading(first.words) else first.words
    last = next_to(words) if words is following else following
    return _in_place_of(best, replace(words, end=(last or words).end))


def _is_asked_of_lead(question: str, item: Scored) -> bool:
    """Say whether an item says nothing of what was asked, and what leads into its list does.

    Who asks what to bring is not told by the torch alone.
    """
    lead = None if item.read.lead or item.read.row else lead_of(item.words, is_any=True)
    if lead is None or _ASKS_WHAT.match(question) is None:
        return False
    above, own = words_of(lead.text), words_of(item.words.text)
    asked = list(telling_words(question))
    return any(is_said(one, above) for one in asked) and not any(is_said(one, own) for one in asked)


def _with_its_list(question: str, best: Sequence[Scored]) -> list[Scored]:
    """Return sentences, in place of an item the whole list: several of the like are asked for.

    An item that says a word of the question that what leads into its list does not is the one asked
    about; those that name the kind of all, behind "what", tell it from no other.
    """
    first = best[0]
    lead = None if first.read.lead or first.read.row else lead_of(first.words, is_any=True)
    listed = None if lead is None else list_under(lead)
    if lead is None or listed is None:
        return list(best)
    above, own = words_of(lead.text), words_of(first.words.text)
    asked = telling_words(_WHAT_KIND.sub(" ", question))
    if any(is_said(word, own) and not is_said(word, above) for word in asked):
        return list(best)
    return [replace(first, read=Read(listed[1], lead=listed[0]))]


def _with_what_it_leans_on(words: Words) -> Words:
    """Return a sentence with those before it that say who "he" is, and what "this option" does.

    Of a definition they come with its term, which says what option it is.
    """
    for _ in range(_LEANS_BACK):
        whole = with_one_before(words) if _LEANS.match(words.text) else None
        before = "" if whole is None else whole.text[: words.start - whole.start].strip()
        if whole is None or _is_of_list(before):
            break
        words = with_its_term(whole)
    return words


def _is_of_list(text: str) -> bool:
    """Say whether a text is an item or a row, of several on which what stands below leans."""
    return is_row(text) or (is_item(text) and not is_ended(text))


def _with_further_steps(best: Sequence[Scored]) -> list[Scored]:
    """Return sentences, the best with those behind it in its paragraph, where these are steps."""
    first = best[0]
    if first.read.lead or first.read.row or not _is_in_prose(first.words.text):
        return list(best)
    is_step = _FIRST.search(first.words.text) is not None
    is_to_do = _TO_DO.match(first.words.text) is not None
    last = first.words
    for _ in range(MAX_SENTENCES):
        following = next_to(last)
        if following is None or not _is_in_prose(following.text):
            break
        is_step = is_step or _THEN.match(following.text) is not None
        if not is_step and not (is_to_do and _TO_DO.match(following.text)):
            break
        last = following
    return _in_place_of(best, replace(first.words, end=last.end))


def _is_in_prose(text: str) -> bool:
    return is_ended(text) and not is_item(text)


def _in_place_of(best: Sequence[Scored], whole: Words) -> list[Scored]:
    """Return sentences, with what the best is a part of in its place and in that of its parts."""
    first, *others = best
    apart = [
        item
        for item in others
        if item.words.page != whole.page
        or item.words.start >= whole.end
        or item.words.end <= whole.start
    ]
    return [replace(first, read=replace(first.read, words=whole)), *apart]


def _in_reading_order(
    question: str, chosen: Sequence[Scored], *, today: date | None
) -> list[Scored]:
    """Keep the best document first, and read each from front to back.

    What says the like comes as it was selected, but the newer before the older, and before what is
    dated after `today`. Of the versions of
    one document the latest is first, unless the question names the one that it means; and what has
    a name as the question says it goes before what has another like it.
    """
    alike = [item for item in chosen if item is chosen[0] or is_counterpart(item, chosen[0])]
    alike = _newer_first(sorted(alike, key=lambda item: item.words.block.n), today=today)
    if _VERSION.search(question) is None:
        alike = _latest_first(alike)
    in_order = [*sorted(alike, key=partial(lacks_name, question)), *chosen]
    documents = list(dict.fromkeys(item.words.block.document_id for item in in_order))
    return sorted(
        chosen,
        key=lambda item: (
            documents.index(item.words.block.document_id),
            item.words.page.number,
            item.words.start,
        ),
    )


def lacks_name(question: str, item: Scored) -> bool:
    """Say whether a document lacks a name of several words as a question writes it.

    Who asks about Redfern Textiles does not mean "Redfern & Sons Textiles".
    """
    names = NAME.findall(question)
    if not names:
        return False
    said = f"{_plain(item.words.block.called)} {_plain(item.words.page.text)}"
    return any(name.lower() not in said for name in names)


@lru_cache(maxsize=64)  # pages: each sentence asks, and one of 200,000 characters takes 7 ms
def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _newer_first(alike: Sequence[Scored], *, today: date | None) -> list[Scored]:
    """Return the like with those that are dated in the order of their dates, in their places."""
    dated = [(at, item) for item in alike if (at := item.words.block.dated_at) is not None]
    newest = iter(sorted(dated, key=lambda pair: standing(pair[0], today=today), reverse=True))
    return [next(newest)[1] if one.words.block.dated_at else one for one in alike]


def _latest_first(alike: Sequence[Scored]) -> list[Scored]:
    """Return the like, in the places of the versions of one document the latest of them first."""
    numbered = [(at, *stated) for at, one in enumerate(alike) if (stated := _version_of(one))]
    ordered = list(alike)
    for called in {name for _, name, _ in numbered}:
        places = [(at, number) for at, name, number in numbered if name == called]
        latest = sorted(places, key=lambda place: place[1], reverse=True)
        for (at, _), (own, _) in zip(places, latest, strict=True):
            ordered[at] = alike[own]
    return ordered


def _version_of(item: Scored) -> tuple[str, tuple[int, ...]] | None:
    """Return what a document is called and its version, which its name or a line begins with."""
    block = item.words.block
    file, title = name_of(block.source), block.title or ""
    stated = _VERSION.search(f"{title} {file}") or _VERSION_LINE.search(item.words.page.text)
    if stated is None:
        return None
    called = " ".join(_VERSION.sub(" ", title or file).casefold().split())
    return called, tuple(map(int, stated[1].split(".")))
