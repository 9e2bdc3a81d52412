"""What says a price, or that nothing is paid."""

import re
from typing import Final

from pulsedocs.model.currencies import CURRENCY_SIGNS

TIMES_PAY: Final = re.compile(
    r"\b(?:\d{1,2}|one|two|three|four|six|half|ein[er]*|zwei|drei|vier|sechs|une?|deux|trois|quatre|un[oa]"
    r"|dos|tres|cuatro|due|tre|quattro)\s(?:\w+['\u2019]?\s){0,2}"  # "two months' rent"
    r"(?P<pay>rents?|wages?|salar(?:y|ies)|\w*mieten?|\w*geh\u00e4lter|loyers?|salaires?|alquiler(?:es)?|salarios?"
    r"|affitti?|stipendi?)\b",
    re.IGNORECASE,
)
"""Money as a multiple of what is paid: "two months' rent"."""
_FREE: Final = (
    r"free|nothing|kostenlos|kostenfrei|(?:eintritt|teilnahme)[^.]{0,40} frei|gratuit\w*"
    r"|gr[a\u00e1]tis"
    r"|(?:no|without(?: an?y?)?) (?:extra |further |additional )?(?:costs?|charges?|fees?)"
    r"(?=\W*$|[.,;]| (?:for|to) | (?:is|are) (?:made|due|payable|charged|taken)\b)"
    r"|(?:do|does|will) not charge (?:any|extra|for|you)|not charged for"
    r"|(?:ohne|keine?) (?:kosten|geb\u00fchr(?:en)?)(?=\W*$|[.,;]| f\u00fcr | an\b)"
    r"|sans frais|sin (?:coste|cargo)|senza (?:costi|spese)|zonder kosten"
)
_NO_PRICE: Final = re.compile(rf"\b(?:{_FREE})\b", re.IGNORECASE)
_COUNTS_HUNDREDS: Final = ("deux", "trois", "quatre", "cinq", "sept", "huit", "neuf")
CENTS: Final = (
    "".join(rf"(?<!\b{count} )" for count in _COUNTS_HUNDREDS)
    + r"cents?|c[e\u00e9\u00ea]nt[ia]m[oe]s?|centesim[oi]|centavos?"
)
"""French "deux cents" are 200."""
_CURRENCIES: Final = (
    r"\d\s?(?:z\u0142|k\u010d|\u0111|\u0111\u1ed3ng|vn\u0111|(?-i:Ft)|lei|kr|(?-i:TL)|\u0433\u0440\u043d|\u043b\u0432|\u0440)\b"
    r"|\d\s?[\u5341\u767e\u5343\u842c\u4e07\u5104\u4ebf\u513f\ucc9c\ub9cc\uc5b5]{0,2}\s?[\u5186\u5143\uc6d0]"
    r"|(?<!\u0e1a\u0e17)\u0e1a\u0e32\u0e17|\u0930\u0941\u092a[\u092f\u090f]"  # "role" ends in baht
    r"|\b\u0440\u0443\u0431(?:\u043b\w*|\b)"  # no shirt, which begins as roubles do
)
"""Feet are "ft", forints "Ft"."""
MONEY: Final = re.compile(
    rf"[{CURRENCY_SIGNS}]|{_CURRENCIES}|\b(?:euros?|eur|dollars?|usd|pounds?|gbp|francs?|franken|chf|yen|rupees?"
    rf"|kron\w+|nok|sek|dkk|{CENTS}|charge|percent"
    r"|p(?:er|or) ?cento?|por ciento|procent|prozent|z\u0142oty|pln|pesos?|yuan|rmb|bucks"
    r"|crowns?|korun\w*|shillings?|roubles?|rubles?|rand|lira|dinars?|dirhams?|riyals?|shekels?|forints?|baht|ringgit|reais|aud|cad|nzd|sgd"
    r"|hkd|inr|cny|jpy|zar|thb|krw|mxn|brl|huf|czk|aed)\b|%"
    r"|\bcosts?\s[\d.,]+\s(?:thousand|million|billion|bn)\b"  # whatever the report counts in
    rf"|\b(?:{_FREE})\b|{TIMES_PAY.pattern}",
    re.IGNORECASE,
)
PRICE: Final = re.compile(
    r"\b(?:prices?|costs?|fees?|fares?|rates?|rents?|tariffs?|charges?|amounts?|\w{0,20}preise?|\w{0,20}kosten"
    r"|\w{0,20}geb\u00fchr(?:en)?|\w{0,20}mieten?|prix|tarifs?|montants?|loyers?|precios?|tarifas?|importes?|prezz[oi]"
    r"|tariff[ae]|import[oi]|cuotas?|quot[ae]s?|pre\u00e7os?|\w{0,20}(?:prijs|prijzen|huur|contributie|tarie(?:f|ven)))\b[^:\n\d]{0,20}:\s?\d"
    r"|\b\d{1,4}[.,]\d\d\s(?:an?|per|each|pro|je|par|al|por)\s"
    r"|\b(?:costs?|pays?|paid|(?:sells?|sold|buys?|bought)\b[^.:\n\d]{0,60}\sfor)"
    r"\s\d{1,4}[.,]\d\d(?!\d|[.,:]\d|\s?[\w%])",
    re.IGNORECASE,
)
"""What is paid, where no currency stands beside it: "Price: 149", "7.99 a month", "costs 7.99"."""


def is_free(text: str) -> bool:
    """Say whether a text says that something costs nothing."""
    return _NO_PRICE.search(text) is not None
