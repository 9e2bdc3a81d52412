"""Who asks what something costs, and which texts tell it: a price, or that it is free."""

import re
from typing import Final

from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.terms import terms_of
from pulsedocs.answering.asked.things.measures import NUMBER_OF_OTHER_UNITS
from pulsedocs.answering.asked.things.money import MONEY, PRICE, TIMES_PAY, is_free
from pulsedocs.answering.asked.things.numbers import has_number
from pulsedocs.answering.languages import as_plain
from pulsedocs.model.currencies import CURRENCY_SIGNS

ASKS_PRICE: Final = re.compile(
    r"\bhow much (?:does|do|did|is|are|must|will|should|would)\b.*"
    r"\b(?:costs?|pay|charged?)\b"
    r"|\bhow expensive\b"
    r"|\b(?:cheaper|dearer|more expensive|costs? (?:more|less))\b.*\b(?:or|than)\b"
    r"|\b(?:billiger|gunstiger|teurer|(?:moins|plus) ch(?:er|ere)s?"
    r"|mas (?:car|barat)[oa]s?)\b"
    r"|\bwhat (?:does|do|did|will|would)\b.*\bcost\b"
    r"|\bwhat (?:is|are|was) the (?:(?:total|whole|full|average|monthly|annual|yearly) )?"
    r"(?:price|cost|fee|rent|fare)\b|\bwas kost(?:et|en)\b"
    r"|\bwie ?viel kost(?:et|en)\b|\bwie teuer|\bcombien coute|\bcuanto (?:cuesta|valen?\b)"
    r"|\bquanto (?:cost|cust)a|\bquanto (?:viene|vengono)\b|\b(?:wat|hoeveel) kost(?:en)?\b"
    r"|\bhoe duur\b|\bwas (?:be)?zahl(?:e|en|t|st) (?:ich|du|man|wir)\b"
    r"|\bwelche[mnr]? (?:betrag|preis)\b|\bque(?:l|lle) (?:montant|somme)\b"
    r"|\bwie hoch (?:ist|sind) d\w\w \w*(?:preis|gebuhr|miete|kaution|kosten)"
    r"|\bquel(?:le)? (?:est|etait) l[ea'\u2019] ?"
    r"(?:prix|montant|tarif|cout|loyer)\b"
    r"|\bcual es (?:el|la) (?:precio|importe|coste|tarifa|alquiler)\b"
    r"|\bqual e (?:il |la |l['\u2019])(?:prezzo|importo|costo|tariffa|affitto)\b"
    r"|\bqual e [oa] (?:preco|custo|tarifa|renda|valor)\b"
    r"|\bwat is de \w*(?:prijs|huur|contributie)\b|\bhoe hoog is de \w*(?:prijs|huur|kosten"
    r"|contributie)\b"
)
ASKS_PAYMENT: Final = re.compile(
    r"\bwie ?viel\b.*\b(?:be)?zahl(?:e[nt]?|t)\b"
    r"|\b(?:combien|cuanto|quanto)\b.*\b(?:pay(?:er|ons|ez)|pa[iy](?:e|es|ent)"
    r"|pag(?:ar?|are|o|as|amos|a[mn]|ano|ate)|paghiamo)\b"
    r"|\bhoeveel\b.*\bbetaa?l(?:t|en)?\b"
)
"""What may be days or shares to pay too: "free" answers it, and so does any number."""
_ASKS_WHAT_IS_PAID: Final = re.compile(
    r"\b(?:costs?|prices?|fares?|rents?|kost(?:et|en)|preis|miete|coute(?:nt)?|prix|loyer|cuestan?|precio"
    r"|alquiler|costano?|prezzo|affitto|custam?|preco|prijs|huur)\b"
)
_SUM: Final = re.compile(
    rf"[{CURRENCY_SIGNS}]\s?\d|\d\s?(?:[{CURRENCY_SIGNS}]|euros?\b|dollars?\b|pounds?\b)",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(
    r"(?:%|\bper ?cent\b|\bprozent\b)(?!\s(?:of|vo[nm]|de[rs]?|du|del\w*|do|da|van)\b)",
    re.IGNORECASE,
)
"""Of nothing that is named: "5 % off"."""
_WITH_IT: Final = re.compile(
    r"\b(?:with|(?:holder|owner)s? of|holding|mit|avec|con|met|com)"
    r"\s(?:an?|the|your|their|our|eine[mr]?|de[mr]|une?|la|el|una|uma)\s"
    r"(?:\w+[\s-]){0,2}\w+",
    re.IGNORECASE,
)
"""What one has: with a valid bus pass."""


def costs_nothing(question: str, text: str) -> bool:
    """Say whether a text answers the question for a price: it is free, and has no price beside."""
    asked = as_plain(question)
    return (
        _says_it_is_free(text, asked)
        and not _SUM.search(text)
        and any(one.search(asked) for one in (ASKS_PRICE, ASKS_PAYMENT))
    )


def has_money(asked: str, own: str, text: str) -> bool:
    """Three rents do not say how high the rent is, nor does 5 % that are the share of nothing."""
    if is_free(own):
        return _SUM.search(own) is not None or _says_it_is_free(own, asked)
    priced = TIMES_PAY.sub(
        lambda found: "" if as_plain(found["pay"]).rstrip("ns") in asked else found[0], text
    )
    if _ASKS_WHAT_IS_PAID.search(asked):
        priced = _SHARE.sub(" ", priced)
    return PRICE.search(own) is not None or (has_number(own) and MONEY.search(priced) is not None)


def has_price_or_measure(asked: str, own: str, text: str) -> bool:
    """How much the rainfall is, is 800 mm; how much the test is, is not ten minutes."""
    return has_money(asked, own, text) or NUMBER_OF_OTHER_UNITS.search(own) is not None


def _says_it_is_free(text: str, asked: str) -> bool:
    """Say whether a text says that what a question asks about costs nothing.

    A pass with which one travels free may have its price.
    """
    if not is_free(text):
        return False
    said, said_of = words_of(text), words_of(_WITH_IT.sub(" ", text))
    held = [term for term in terms_of(asked) if is_said(term, said)]
    return not held or any(is_said(term, said_of) for term in held)
