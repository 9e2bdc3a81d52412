"""Follow-ups as questions of their own, where no model rewrites them: "And a cat?" after a dog.

What is short of a question takes the place of the like in the one before, "Until when?" that of the
words it asked with; "it" and "which one" mean what that one asked about. Whatever fits no form is
left as it was asked.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_BEGINS: Final = re.compile(
    r"^\W*(?:and|but|or|(?:and )?(?:what|how) about|und|oder|(?:und )?was ist mit|et|ou|y|o|e)\s"
    r"(?P<rest>[^?]++)\??\W*$",
    re.IGNORECASE,
)
_MOST_WORDS: Final = 6  # more is a question by itself
_AUXILIARIES: Final = (
    r"is|are|was|were|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had"
    r"|ist|sind|war|waren|kann|darf|muss|m\u00fcssen|soll|hat|haben|wird|werden|wurde|wurden|est|sont|peut"
    r"|puis-je|dois-je|faut|es|est\u00e1|son|puedo|puede|debo|\u00e8|sono|posso|pu\u00f2|devo"
)
_AUXILIARY: Final = re.compile(rf"\b(?:{_AUXILIARIES})\b", re.IGNORECASE)
_ASKS: Final = re.compile(
    rf"\b(?:{_AUXILIARIES}|who\w*|what|when|where|why|how|which|wer|wen|wem|wann|wo|warum|wie"
    r"|welche\w*|gibt|qui|que|quoi|quand|o\u00f9|comment|pourquoi|combien|puis|qui\u00e9n|qu\u00e9|cu\u00e1ndo"
    r"|d\u00f3nde|c\u00f3mo|cu\u00e1nto|hay|chi|cosa|dove|quando|come|quanto)\b",
    re.IGNORECASE,
)
_PLACED: Final = (
    r"(?:for|in|on|at|with|without|of|from|to|by|after|before|during|under|over|f\u00fcr|im|am|beim?|mit|ohne"
    r"|von|vom|nach|vor|w\u00e4hrend|unter|zu[mr]?|pour|dans|avec|sans|en|\u00e0|chez|sur|para|con|sin|de|del"
    r"|per|nel\w*|senza|da|su)"
)
_BEHIND: Final = re.compile(rf"\b{_PLACED}\s+$", re.IGNORECASE)
_ARTICLES: Final = (  # a follow-up's takes the place of one of the same kind
    r"(?:an?|eine?[nmrs]?|une?|un[oa]?)",
    r"(?:the|d(?:er|ie|as|en|em)|l[ea]s?|el|l[oa]s|il|gli)",
    r"(?:my|our|your|their|his|her|its|mein\w*|unser\w*|ihr\w*|mon|ma|mes|notre|mi|su|mio|mia)",
)
_ARTICLE: Final = re.compile(f"(?:{'|'.join(_ARTICLES)})", re.IGNORECASE)
_WORD: Final = r"[^\W_][\w'\u2019-]*"
_WITHOUT_ARTICLE: Final = re.compile(
    r"(?:(?<=^is )|(?<=^are )|(?<=^was )|(?<=^were )|(?<=^ist )|(?<=^sind ))[^\W\d_]{3,}(?=\s+\w)"
    r"|(?:(?<=\bis )|(?<=\bare )|(?<=\bwas )|(?<=\bwere ))[^\W\d_]{3,}(?: [^\W\d_]+)?(?=\W*$)",
    re.IGNORECASE,
)
"""What is asked about without an article: "Are dogs allowed?", "How much was net profit?"."""
_ASKED_WITH: Final = (
    r"(?:(?:until|till|since|from|by|at|with|to|for|bis|seit|ab|mit|von|f\u00fcr|depuis|jusqu'\u00e0|hasta"
    r"|desde|fino a|da)\s+)?(?:who|whom|what(?: time)?|when|where|why|which"
    r"|how(?: (?:long|often|much|many|far|high|soon|old))?|wer|wen|wem|was|wann|wo|warum|wieso"
    r"|wof\u00fcr|wie(?: (?:lange|oft|viele?|hoch))?|welche\w*|qui|que|quand|o\u00f9|comment"
    r"|pourquoi|combien(?: de temps)?|qui\u00e9n|cu\u00e1ndo|d\u00f3nde|c\u00f3mo"
    r"|cu\u00e1nto(?: tiempo)?|por qu\u00e9|chi|dove|quando|come|perch\u00e9|quanto(?: tempo)?)"
)
"""The words that a question asks with, which alone are a follow-up: "Until when?"."""
_BARE: Final = re.compile(
    rf"\W*(?:(?:and|but|und|et|y|e)\s+)?(?P<asks>{_ASKED_WITH})\W*", re.IGNORECASE
)
_ASKED_FOR: Final = re.compile(
    r"\W*(?P<asks>which|what|how many|how much|welche\w*|wie viele?)\s+"
    rf"(?P<noun>(?:(?!{_AUXILIARY.pattern})[^\W\d_][\w'\u2019-]*\s+){{1,4}})(?={_AUXILIARY.pattern})",
    re.IGNORECASE,
)
_ONE: Final = re.compile(r"\bwhich (?P<one>ones?)\b", re.IGNORECASE)
_IT: Final = re.compile(
    # "Who works in IT?" asks about no "it".
    r"\b(?:(?-i:[Ii]t|(?<![a-z]\s)IT(?!\s[a-z]))|they)\b(?!['\u2019])",
    re.IGNORECASE,
)
_ER: Final = re.compile(r"(?<=[^\W\d_]{3}\s)(?:er|sie)\b")
_ITS: Final = re.compile(
    r"(?P<asks>(?:(?:what|when|where|how|who|why)\s+(?:is|are|was|were)\s+)?)(?:its|their|his|her)\s+"
    rf"(?P<noun>{_WORD}(?:\s{_WORD})?)\W*",
    re.IGNORECASE,
)
"""What is asked of it at a question's end: "its range", "What is her phone number?"."""
_CODE: Final = re.compile(r"(?<![\w-])[A-Z]{1,4}-?\d[\w-]*")
_NAME: Final = re.compile(r"(?<!\S)(?!I\b)[A-Z][\w-]*(?:\s[A-Z][\w-]*)*")
_PARTICIPLE: Final = (
    r"(?!\w*(?:kitchen|garden|children|oven|screen|linen)\b)"
    r"(?:\w*(?:ed|en|ilt|ought|aid|ept|ade|due|valid|cut|put)|\w+old|held|free)"
)
_ABOUT: Final = re.compile(
    rf"\b(?:is|are|was|were)\s+(?P<done>(?:the|an?|my|our|your)\s+{_WORD}(?:\s(?!being\b){_WORD})?)\s+(?:being\s+)?{_PARTICIPLE}"
    rf"(?:\s+{_PLACED}\s[^?.,;]*)?\W*$|"
    r"(?:\b(?:is|are|was|were)|^\W*who\s+\w+)\s+(?P<thing>(?:the|an?|my|our|your)\s+(?:(?!\b(?:and|or)\b)[^?.,;])+)\W*$|"
    r"\b(?:ist|sind|war|waren|kostet|kosten)\s+(?P<ding>(?:der|die|das|mein\w*|unser\w*)\s+(?:(?!\b(?:und|oder)\b)[^?.,;])+)\W*$",
    re.IGNORECASE,
)
"""What a question is about that ends with it, or with what is done to it: "is the cake baked".

Or where or when that is: "is the museum open on Mondays".
"""


def resolved(question: str, before: Iterable[str]) -> str | None:
    """Return a question as it reads without those `before` it, oldest first.

    None where it reads alone.
    """
    last = ""
    for earlier in before:
        last = _after(earlier, last) or earlier
    return _after(question, last)


def _after(question: str, last: str) -> str | None:
    begins = _BEGINS.match(question)
    rest = begins["rest"].strip() if begins else question
    if not last:
        return None
    if begins and not _ITS.fullmatch(rest) and _is_short(rest):
        return _in_place(rest, last)
    if bare := _BARE.fullmatch(question):
        return _asked_with(bare["asks"], last)
    named = _ASKED_FOR.match(last)
    if named and (one := _ONE.search(question)):
        noun = named["noun"].split(" of ")[0].strip()
        noun = noun if one["one"].endswith("s") else noun.removesuffix("s")
        return f"{question[: one.start('one')]}{noun}{question[one.end() :]}"
    asks = begins is not None and _ASKS.match(rest) is not None
    return _of_it(f"{rest[0].upper()}{rest[1:]}?" if asks else question, rest, last)


def _of_it(asked: str, rest: str, last: str) -> str | None:
    """Return a question about "it", or something of it, with what the last one asked about."""
    about = _ABOUT.search(last)
    if about is None:
        return None
    thing = next(filter(None, about.groups())).strip()
    if its := _ITS.fullmatch(rest):
        return f"{its['asks'] or 'What is '}the {its['noun']} of {thing}?"
    # Who names something in German, in a capital, may mean that by "sie".
    names_none = not any(word[0].isupper() for word in rest.split()[1:])
    it = _ER if names_none and _ER.search(rest) else _IT
    return it.sub(lambda _found: thing, asked, count=1) if it.search(rest) else None


def _is_short(rest: str) -> bool:
    return len(rest.split()) <= _MOST_WORDS and not _ASKS.search(rest)


def _asked_with(asks: str, last: str) -> str | None:
    """Return the last question asked with other words: until when, of what was asked how many."""
    verb = _AUXILIARY.search(last)
    if verb is None:
        return None
    named = _ASKED_FOR.match(last)
    noun = named["noun"].strip() if named else ""
    done, rest = verb[0].lower(), last[verb.end() :].strip(" ?!.")
    is_counted = named is not None and named["asks"].lower().startswith(("how", "wie"))
    parts = (done, rest, noun) if is_counted else (done, noun, rest)
    return " ".join((f"{asks[0].upper()}{asks[1:]}", *filter(None, parts))) + "?"


def _in_place(rest: str, last: str) -> str | None:
    """Return the last question with `rest` in the place of what is like it."""
    if placed := re.match(rf"{_PLACED}\b", rest, re.IGNORECASE):
        same = _phrase(placed[0], rest[placed.end() :]).finditer(last)
        return _put(last, [*same], rest) or f"{last.rstrip(' ?')} {rest}?"
    for kind in (_CODE, _NAME):
        found = [one for one in kind.finditer(last, 1) if not _BEHIND.search(last[: one.start()])]
        # Of several names, nobody can tell which is meant.
        if kind.fullmatch(rest) and len(found) == 1:
            return _put(last, found, rest)
    for article in _ARTICLES:
        if re.match(rf"{article}\s", rest, re.IGNORECASE):
            return _with_article(article, rest, last)
    return _put(last, [*_WITHOUT_ARTICLE.finditer(last)], rest)


def _with_article(article: str, rest: str, last: str) -> str | None:
    """Return the last question with a noun in the place of one, and what is said of it of the like.

    "And the last bus on Sunday?" leaves no other day behind.
    """
    own, *placed = re.split(rf"\s+(?={_PLACED}\s)", rest, maxsplit=1, flags=re.IGNORECASE)
    found = [*_phrase(article, own.split(maxsplit=1)[-1]).finditer(last)]
    if not placed:
        return _put(last, found, rest)
    alone = [one for one in found if not _BEHIND.search(last[: one.start()])]
    first, _, more = placed[0].partition(" ")
    is_alike = _phrase(first, more).search(last)
    made = _put(last, alone or found, own if is_alike else rest)
    return _in_place(placed[0], made) if made and is_alike else made


def _phrase(first: str, like: str) -> re.Pattern[str]:
    """Return what begins with a word like `first` and goes on for as many words as another."""
    article = rf"(?:\s+{_ARTICLE.pattern}(?=\s))?"
    words = [word for word in like.split() if not _ARTICLE.fullmatch(word)]
    further = rf"(?:\s+(?!{_PLACED}\b){_WORD}){{1,{max(1, len(words))}}}"
    return re.compile(rf"\b{first}{article}{further}(?-i:(?:\s+[A-Z][\w-]*)*)", re.IGNORECASE)


def _put(last: str, found: Sequence[re.Match[str]], rest: str) -> str | None:
    """Return the last question with `rest` for the last of what was found; None for nothing."""
    return f"{last[: found[-1].start()]}{rest}{last[found[-1].end() :]}" if found else None
