"""Whether a text says who: names, roles and bodies, in each language by its own words."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from pulsedocs.answering.languages import SMALL_WORDS, language_of, words_listed

_ENGLISH: Final = re.compile(
    r"\b(?:staff|office|team|people|person\w*|company|firm|landlord"
    r"|tenants?|parents?|guests?|board|council|authority|agency|family|nobody|no one"
    r"|anyone|everyone|everybody|only|children|child|adults?|men|women|man|woman|users?|clients?|pupils?"
    r"|(?!degrees\b)\w{3,}(?:ers|ors|ists|ians|men|ants|ents|ees)"
    r"|\w{4,}(?:or|ist|ian|man|woman|ant|ent|ee)|he|she|they|we|you|i|\w{3,}er)\b",
    re.IGNORECASE,
)
_FRENCH: Final = re.compile(
    r"\b(?:direct(?:eur|rice|ion)|pr\u00e9sident\w*|gardien\w*|responsables?|gestionnaires?"
    r"|secr\u00e9ta(?:ire|riat)s?|tr\u00e9sori\w+|locataires?|bailleurs?|propri\u00e9taires?|syndic\w*|conseil\w*"
    r"|comit\u00e9s?|assembl\u00e9e|commission|bureau|mair(?:ie|e)|services?|\u00e9quipes?|personnel|salari\u00e9\w*"
    r"|employ\w+|agents?|membres?|adh\u00e9rent\w*|usag\w+|visiteu\w+|client\w*|abonn\u00e9\w*|lect(?:eur|rice)s?"
    r"|biblioth\u00e9caires?|\u00e9l\u00e8ves?|\u00e9tudiant\w*|parents?|enfants?|mineurs?|adultes?|personnes?|familles?"
    r"|professeur\w*|enseignant\w*|(?:anima|moni)(?:teur|trice)s?|m\u00e9decin\w*|infirmi\w+|technicien\w*|chef\w*"
    r"|sup\u00e9rieur\w* hi\u00e9rarchique"
    r"|soci\u00e9t\u00e9|entreprise|association|police|pompiers|pr\u00e9fet|juge|tribunal"
    r"|mmes?|mlles?|madame|monsieur|(?-i:MM?(?=\.\s[A-Z\u00c0-\u00de]))|dr|on|nous|vous|je|chacun\w*|quiconque|tous|toutes|celui|celle|ceux|seuls?)\b",
    re.IGNORECASE,
)
_SPANISH: Final = re.compile(
    r"\b(?:direct(?:or\w*|iv\w+)|direcci\u00f3n|president\w+|administra(?:dor\w*|ci\u00f3n)|junta|comunidad|consejo"
    r"|comit\u00e9|comisi\u00f3n|asamblea|secretar\w+|tesorer\w+|vecin\w+|propietari\w+|inquilin\w+|alumn\w+|padres"
    r"|madres|famili\w+|profesor\w*|docentes?|tutor\w*|maestr\w+|empresa|departamento|oficina|equipo"
    r"|person\w+|emplead\w+|trabajador\w*|jef[ea]s?|supervisor\w*|responsables?|encargad\w+|usuari\w+"
    r"|clientes?|miembros?|soci[oa]s?|ni\u00f1[oa]s?|menores|adultos?|m\u00e9dic[oa]s?|enfermer\w+|t\u00e9cnic[oa]s?"
    r"|conserje|portero|polic\u00eda|juez|ayuntamiento|se\u00f1or\w*|sr|sra|don|do\u00f1a|usted\w*|nosotros|nadie"
    r"|arrenda(?:dor|tari)\w+|residentes?|hu\u00e9sped\w*|visitantes?"
    r"|recepci\u00f3n|quien(?:es)?|todos|todas|cada uno|recursos humanos)\b",
    re.IGNORECASE,
)
_ITALIAN: Final = re.compile(
    r"\b(?:dirett(?:ore|rice|ivo)|loca(?:tore|trice|tari\w+)|condutt(?:ore|rice)|ospit[ei]|residenti|direzione|president\w+|amministra(?:tore|trice|zione)|assemblea|consiglio"
    r"|comitato|commissione|segretari\w+|tesorier\w+|condomin[oi]|inquilin\w+|propriet\w+|studenti?|alunn\w+"
    r"|genitori?|famigli\w+|insegnant\w+|professor\w+|docent\w+|azienda|societ\u00e0|ufficio|squadra|personale"
    r"|person[ae]|dipendent\w+|lavorator\w+|responsabil\w+|incaricat\w+|addett\w+|utenti?|clienti?|visitator\w+"
    r"|membr[oi]|soci\w?|bambin\w+|minor\w+|adult\w+|medic[oi]|infermier\w+|tecnic[oi]|custod\w+|portier\w+"
    r"|polizia|giudice|comune|sindaco|signor\w*|dott\w*|noi|voi|nessuno|chi|tutti|ciascun\w*|ognuno)\b",
    re.IGNORECASE,
)
_PORTUGUESE: Final = re.compile(
    r"\b(?:diret(?:or\w*|oria)|dire\u00e7\u00e3o|president\w+|administra(?:dor\w*|\u00e7\u00e3o)|assembleia|conselho|comiss\u00e3o"
    r"|secret\u00e1ri\w+|tesoureir\w+|senhori[oa]s?|arrendat\u00e1ri\w+|morador\w*|residentes?|h\u00f3sped\w*"
    r"|visitantes?|passageir\w+|rece(?:p\u00e7|\u00e7|p)\u00e3o|portaria|cond\u00f3min\w+|inquilin\w+|propriet\u00e1ri\w+|alun\w+|pais|fam\u00edli\w+|professor\w*"
    r"|empresa|servi\u00e7os?|equipa|equipe|pessoal|pessoas?|trabalhador\w*|funcion\u00e1ri\w+|respons\u00e1ve\w+|utentes?"
    r"|utilizador\w*|clientes?|membros?|s\u00f3ci\w+|crian\u00e7as?|menores|adult\w+|m\u00e9dic\w+|enfermeir\w+|t\u00e9cnic\w+"
    r"|doentes?|pacientes?|acompanhantes?|pol\u00edcia|juiz|c\u00e2mara|senhor\w*|sr|sra|dr|dra|n\u00f3s|ningu\u00e9m|quem|todos)\b",
    re.IGNORECASE,
)
_DUTCH: Final = re.compile(
    r"\b(?:\w*(?:bestuur|directie|directeur|leiding|beheer|commissie|raad|afdeling|dienst|team|bedrijf"
    r"|gemeente|politie|brandweer|personeel|medewerk\w+|werknemers?|werkgever|leden|lid|ouders?|kinderen"
    r"|kind|persoon|personen|mensen|man|vrouw|arts|chef|manager|voorzitter|secretaris|vereniging)"
    r"|(?!(?:onder|zonder|water|kamer|nummer|winter|\w{2,8}ember|oktober|ander|eerder|later|verder|ieder"
    r"|\w{0,8}meter|liter|papier|nader|wester|over|weer|hier|daar|\w{2,4}eer|kelder|zolder|venster|vloer|\w{0,9}deur|kleur)\b)"
    r"\w{3,}(?:er|ers|ist|isten|ant|anten|eur|eurs)|dhr|mevr(?:ouw)?|meneer|wij|we|u|men|iedereen|niemand|wie)\b",
    re.IGNORECASE,
)
_CAPITAL: Final = r"(?-i:(?=[A-Z\u00c4\u00d6\u00dc]))"
_GERMAN: Final = re.compile(
    rf"\b(?:{_CAPITAL}\w*(?:leitung|verwaltung|vorstand|vorst\u00e4nde|versammlung|ausschuss|abteilung"
    r"|gesellschaft|gruppe|kommission|beh\u00f6rde|gericht|polizei|feuerwehr|wart|wartin|dienst"
    r"|mitglied\w*|mann|frau|leute|person\w*|verein|kraft|kr\u00e4fte|sekretariat"
    r"|gesch\u00e4ftsstelle|gemeinde|unternehmen"
    r"|betriebsrat|beirat|stadtrat|gemeinderat|team|amt|\u00e4mter"
    r"|b\u00fcro|firma|firmen)(?:e?[ns]|es)?"
    r"|\w*eltern|g\u00e4sten?|gast|kind(?:er|ern|es)?|herrn?|dr|(?-i:[FH]r(?=\.\s[A-Z\u00c4\u00d6\u00dc]))|niemand\w*"
    r"|jede[rm]?|alle|man|wir|uns|ich|wer)\b",
    re.IGNORECASE,
)
_GERMAN_ROLE: Final = re.compile(
    r"\b[A-Z\u00c4\u00d6\u00dc]\w{2,}?(?:er|ist|ant|ent|eur|or)(?:in|innen|n|en|s)?\b"
)
_NOBODY: Final = tuple(
    words_listed(
        """keller wasser fenster zimmer sommer winter nummer feuer messer alter dauer fehler
        wetter muster eier meter liter ufer lager leder kupfer silber zucker butter theater
        center computer container k\u00f6rper kalender ember oktober schalter ordner boiler
        drucker z\u00e4hler papier mauer steuer dieser jeder einer keiner unter \u00fcber
        au\u00dfer immer aber oder moment dokument prozent zement instrument element argument
        patent motor monitor faktor tor chor labor"""
    )
)
"""Ends of German words that look like roles."""
_TWO_NAMES: Final = re.compile(r"\b([A-Z\u00c0-\u00de]\w+) (?:von |van |de )?[A-Z\u00c0-\u00de]\w+")
_NAME_WITHIN: Final = re.compile(r"(?<=[^\W_],\s|[^\W_.?!:]{2}\s)[A-Z\u00c0-\u00de]\w+")
_IN_CAPITALS: Final = re.compile(r"^[^a-z\u00df-\u00ff\n]*\n", re.MULTILINE)
"""A heading over other words: in capitals, all of it looks like names."""
_NAME_FIRST: Final = re.compile(r"\W*(?:[A-Z]\w+\s+){1,3}[A-Z]\w+")


def _in_german(text: str) -> bool:
    """Say whether a German text says who: its nouns have capitals too, so one tells nothing."""
    roles = (found[0].lower() for found in _GERMAN_ROLE.finditer(text))
    named = (found[1].lower() for found in _TWO_NAMES.finditer(text))
    return (
        _GERMAN.search(text) is not None
        or any(not role.removesuffix("n").removesuffix("s").endswith(_NOBODY) for role in roles)
        or any(first not in SMALL_WORDS["de"] for first in named)
    )


def _by(roles: re.Pattern[str]) -> Callable[[str], bool]:
    def says_who(text: str) -> bool:
        text = _IN_CAPITALS.sub("", text)
        return any(one.search(text) for one in (_NAME_WITHIN, roles)) or bool(
            _NAME_FIRST.match(text)
        )

    return says_who


_says_who_in_english: Final = _by(_ENGLISH)
_IN_A_PLACE: Final = re.compile(
    r"\b(?:in|at|near)(?:\s(?:the|St\.?))?(?:\s(?!(?:Mr|Mrs|Ms|Dr|Prof)\b)[A-Z\u00c0-\u00de][\w'\u2019-]*)+"
)
"""What was "found in Mill Lane" was found by nobody who is named."""


def _in_english(text: str) -> bool:
    return _says_who_in_english(_IN_A_PLACE.sub(" ", text))


_SAYS_WHO: Final[Mapping[str, Callable[[str], bool]]] = {
    "en": _in_english,
    "de": _in_german,
    "fr": _by(_FRENCH),
    "es": _by(_SPANISH),
    "it": _by(_ITALIAN),
    "pt": _by(_PORTUGUESE),
    "nl": _by(_DUTCH),
}


def says_who(text: str, *, language: str | None) -> bool:
    """Say whether a text names somebody; of a language that is not told apart, it may."""
    says = _SAYS_WHO.get(language_of(text) or language or "")
    return says is None or says(text)
