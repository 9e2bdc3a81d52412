"""Where sentences end, by rule: chunking and answering cut alike, and the same text always so.

A stop ends no sentence within an abbreviation, after an initial, in a date ("3. Mai") or before a
small letter. Some abbreviations may be last ("Acme Inc.", "etc."): behind those a sentence begins
only with a word that often begins one. A word in capitals within other text is its own word ("a
CD.") but for those that the lists have in capitals.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

# Written as escapes, since most of these look like others: the ellipsis, the full stops of Chinese
# and Japanese, of Hindi, of Urdu and of Arabic; then what may close a quotation or a parenthesis.
STOPS: Final = ".!?\u2026"
WIDE_STOPS: Final = "\u3002\uff01\uff1f\u0964\u06d4\u061f"
CLOSERS: Final = "\"'\u201d\u2019\u00bb)\\]\u300d\u300f\uff09"

# Possessive, and only from the first stop of a run: 200 KB of dots take as long as 200 KB of words.
_STOP: Final = re.compile(
    rf"(?<![{STOPS}])[{STOPS}]++[{CLOSERS}]*+(?=\s)|[{WIDE_STOPS}]++[{CLOSERS}]*+"
)
_STOP_OR_CLOSER: Final = STOPS + CLOSERS.replace("\\", "")
_NEARBY: Final = 40  # characters around a stop that decide whether it ends a sentence

_NEVER_LAST: Final = frozenset(
    """
    mr mrs ms dr prof rev hon gen col sgt capt lt messrs vs v eg ie cf e.g i.e viz resp incl excl
    esp fig figs eq eqs sec secs ch chap art arts pp vols bzw z.b d.h u.a v.a i.d.r evtl ggf inkl
    exkl zzgl vgl hr hrn fr dipl ing bspw sog gem mind einschl ca mme mlle mm p.ex env sra srta dra
    ud uds núm sig bijv d.w.z o.a dhr mevr t.ex bl.a dvs np tzn
    ul pl inż św zob woj tzw godz poz rozdz ks nám tř čl odst písm obr tzv např popř judr mudr
    ул кв пл просп пер бул вул наб обл гр буд проф акад доц зав гл ст см
    τηλ αρ σελ εικ κα αρθ οδ λεωφ βλ πλ डॉ प्रो सं पृ
    tp ths pgs đt jl bpk mah doç bkz müd șos alin jud
    p.ej dª dña excmo ilmo exmo exma profa nº n.º tfno telf ctra
    dott dott.ssa avv geom sig.ra sig.na p.zza c.so v.le spett réf boul
    ún ker sz krt ld vö jf tlf tfn s.k
    MR MRS MS DR PROF TP PGS
    """.split()  # noqa: RUF001, SIM905 -- Russian and Greek are meant; as a list it takes eighty lines
)
_LAST_UNLESS_NUMBERED: Final = frozenset(
    """
    no nos p pos item para paras clause vol ver ext nr nrn abs ziff kap s seite anm tab abb rn jan
    feb mar apr jun jul aug sep sept oct okt nov dec dez pág págs pag blz kl rd ser serial model
    km rs rp br bl sc et ap apt cap kb ust pkt рис табл стр бр бл रु
    NO NR VOL
    """.split()  # noqa: RUF001, SIM905 -- Russian is meant; as a list it takes eighty lines
)
_SELDOM_LAST: Final = frozenset(
    """
    inc ltd co corp llc plc bros jr sr st ave blvd mt etc al av ed eds est dept univ assn govt max
    min approx avg temp qty usw u.s.w ecc enz o.ä u.ä zz chr gmbh jh jhd mio mrd tsd std sek stk fa
    geb gest a.m p.m ph.d m.d b.a b.c a.d d.c u.k e.u e.v s.a
    hab mgr sv eng bul bd str tel tél im тел им др пр cad cd sok sk md gs ts bc stb itd itp atd
    INC LTD CO CORP LLC PLC BROS JR SR ST GMBH MIO MRD TSD
    """.split()  # noqa: SIM905 -- as a list it takes eighty lines
)
_STREET: Final = "str"  # "Goethestr. 5"
_SPACED: Final = re.compile(
    r"(?:^|[^\w.])(?:z\.\s?b|d\.\s?h|u\.\s?a|v\.\s?a|i\.\s?d\.\s?r|o\.\s?g|u\.\s?u|s\.\s?o|s\.\s?u"
    r"|a\.\s?d|z\.\s?t|m\.\s?e|i\.\s?e|e\.\s?g|p\.\s?ex|t\.\s?ex|n\.\s?b|n\.\s?med|i\.\s?s\.\s?d)$"
)
_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_VARIABLE: Final = re.compile(
    r"[^\W\d_]{2}[ \t](?:[fgjknqrtwxy]\.\s+(?:if|when|where|this|it|the|then|otherwise)\b"
    r"|[kqxy]\.\s+[A-Z\u00c0-\u00de][^\W\d_]*+(?!\.))"
)
"""A small letter that abbreviates little, behind a word and before what begins a sentence.

Initials are capitals; but "Anna f. Berg" was born so, Brzeg is "n. Odr\u0105", and "XIX w. Polska"
is a century's.
"""
_UNIT: Final = re.compile(
    r"\d\s?(?:[ghlmst]|k[mB]|\u0441\u043c|\u0433\u0440)$|\b\u043a\u0432\.\s?\u043c$|[\w\u00b2\u00b3]/[adghlms]$"
    r"|\b(?!(?:19|20)\d\d\b)\d+\s?[VW]$"
)
"""A letter behind a figure that is a unit and no initial: "40 l", "60 km/h", "230 V".

Of Russian ones centimetres and grams are also abbreviations ("see", "city"), and square metres two.
"""
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")
_ORDINAL: Final = re.compile(
    r"(?:^|\s)(?:am|im|der|die|das|den|dem|des|vom|zum|zur|bis|ab|seit|jede[nrs]?|und|el|le|il)"
    r"\s+\d{1,2}$",
    re.IGNORECASE,
)
_MONTH: Final = re.compile(
    r"(?:jan|feb|m[a\u00e4]r|apr|ma[iy]\b|jun|jul|aug|sep|o[ck]t|nov|de[cz]|jahrh|jh|\u2020"
    r"|\u00a7(?!\s?\d))",  # Hungary's "31. \u00a7 (2)"; a "\u00a7 9" begins a clause
    re.IGNORECASE,
)
_FIGURE: Final = re.compile(r"\W*\d")
_CODE: Final = re.compile(r"\W*(?:\w*\d|[A-Z]{1,5}[ /-]\d|[IVXLC]+\b|[A-Z]\b(?![.']))")
_LAST_WORD: Final = re.compile(r"([\w.\u00b0\u0900-\u0963]+)$")
"""With the degree sign, since the C of 45 \u00b0C is no initial, and the vowel signs of Hindi."""
_MORE_DOTS: Final = re.compile(r"[ \t]\.+(?!\S)")
"""Behind all but the last of the dots that lead to a figure: "Tolls . . . . 7,012"."""
_FIRST_WORD: Final = re.compile(r"[^\w(\u00a7]*([^\W\d_]++(?:'\w+)?)(?!\w)(?P<stop>[.:])?")
_STARTERS: Final = frozenset(
    """
    the a an it its this that these those there here he she they we you i in on at for from by with
    as if when while where after before however but and or so all not each every some any our their
    his her my your to what who which how why do does please both once since under during although
    because no yes then see use one two der die das den dem ein eine einen einem einer es er sie wir
    ich ihr im am auf aus bei mit nach von vor zu zum zur für über unter wenn als da dann dies diese
    dieser dieses jede jeder alle auch aber und oder wie was wer wo nur nicht kein keine bitte hier
    dort danach le la les un une il elle ils ce cette ces nous vous dans pour par si quand el los
    las una en para con cuando este esta lo gli per nel het een de
    w na po nie jest potem jeśli v je pokud potom před
    в на по не он она они мы вы это если при после потом для как все
    bu bir sonra eğer o os um uma ele não depois non dopo poi det och og
    """.split()  # noqa: SIM905 -- as a list it takes eighty lines
)


_REPEATED: Final = re.compile(r"(?:[\]>]|\b[A-Z]{2,20})$")
"""Before an ellipsis, what a command takes more than once: "cp [OPTION]... SOURCE... FOLDER"."""
_ALSO_TAKEN: Final = re.compile(r"[ \t]+(?:[\[<-]|[A-Z]{2})")
"""Behind it, what the command takes then."""
_OF_A_COMMAND: Final = frozenset(">|&;\\")
"""What goes on with a line behind a text in quotation marks: `echo "Done." > log.txt`."""


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Yield the place behind each stop that ends a sentence of `text[start:end]`."""
    begin, last = start, len(text) if end is None else end
    for stop in _STOP.finditer(text, start, last):
        before = text[max(begin, stop.start() - _NEARBY) : stop.start()]
        after = text[stop.end() : min(stop.end() + _NEARBY, last)]
        if _ends(before, stop.group(), after) or _ends_with_variable(before, stop.group(), after):
            yield stop.end()
            begin = stop.end()


def is_settled(text: str, end: int) -> bool:
    """Say whether more text at its end cannot undo the sentence that ends at `end`."""
    match = _LAST_WORD.search(text[max(0, end - _NEARBY) : end].rstrip(_STOP_OR_CLOSER))
    word = match.group().lower().lstrip(".") if match else ""
    return not _may_be_within(word) or len(text[end : end + _NEARBY].split(maxsplit=1)) > 1


def _may_be_within(word: str) -> bool:
    """Say whether the word after a stop decides if this word, before it, is a sentence's last."""
    is_short = _INITIALS.fullmatch(word) or (len(word) == 1 and word.isalpha())
    is_listed = word in _LAST_UNLESS_NUMBERED or word in _SELDOM_LAST
    return bool(is_listed or is_short or _NUMBER.fullmatch(word) or word.endswith(_STREET))


def _ends(before: str, stop: str, after: str) -> bool:
    """Say whether a stop ends a sentence; `before` begins no earlier than that sentence."""
    follows = after.lstrip()[:1]
    beside = after.lstrip(" \t")[:1]  # on the same line
    is_last_dot = before.endswith(". ") and _FIGURE.match(after)
    is_leading = _MORE_DOTS.match(after) or is_last_dot
    if follows.islower() or (before.strip() and is_leading) or beside in _OF_A_COMMAND:
        return False
    if not stop.startswith(".") or stop.startswith(".."):
        is_synopsis = _REPEATED.search(before) and _ALSO_TAKEN.match(after)
        return not (stop.startswith(("..", "\u2026")) and (beside.isdigit() or is_synopsis))
    match = _LAST_WORD.search(before)
    word = match.group().lstrip(".") if match else ""
    word = word if _is_in_capitals(word, after) else word.lower()
    is_unit = _UNIT.search(before) is not None
    if (word in _NEVER_LAST and not is_unit) or _SPACED.search(before.lower()):
        return False
    is_item = before.strip().lower() == word.lower()  # "3. The fee", "V. The rules"
    if _NUMBER.fullmatch(word) or (is_item and len(word) == 1):
        return not (is_item or _is_of_a_date(before, word, after))
    if word in _LAST_UNLESS_NUMBERED or (
        word.endswith(_STREET) and word != _STREET
    ):  # "p" and "s" may be initials, too
        is_initial = len(word) == 1 and not is_unit
        return not (_FIGURE if is_unit else _CODE).match(after) and (
            not is_initial or not follows or _begins(after)
        )
    return is_unit or not _may_be_within(word) or not follows or _begins(after)


def _ends_with_variable(before: str, stop: str, after: str) -> bool:
    is_variable = _VARIABLE.match(f"{before[-len('of n') :]}{stop}{after}") is not None
    return is_variable and not _SPACED.search(before.lower())


def _is_in_capitals(word: str, after: str) -> bool:
    """Say whether a word is in capitals, and what follows is not."""
    following = _FIRST_WORD.match(after)
    if following is None or not (word.isalpha() and word.isupper()):
        return False
    letters = filter(str.isalpha, after[following.start(1) :])
    return not "".join(islice(letters, len("Th"))).isupper()


def _is_of_a_date(before: str, number: str, after: str) -> bool:
    is_short = len(number) <= len("31")
    return is_short and bool(_MONTH.match(after.lstrip()) or _ORDINAL.search(before))


def _begins(after: str) -> bool:
    """Say whether a text begins as sentences often do, and with no initial, "No." or "No:"."""
    word = _FIRST_WORD.match(after)
    if word is None:
        return False
    return word[1].lower() in _STARTERS and not word["stop"]
