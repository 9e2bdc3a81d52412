"""What the stage says of documents, errors and lost pages, for who reads German, not English.

A stage writes English. An error is told in German by its code, warnings and explanations by their
English: whatever has no German here stays as it is.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

ERRORS: Final = {
    "PDF_ENCRYPTED": (
        "Die Datei öffnet sich nur mit einem Kennwort.",
        "Entfernen Sie es, etwa durch Drucken als PDF, und fügen Sie sie neu hinzu.",
    ),
    "PDF_CORRUPTED": (
        "Die Datei ist beschädigt.",
        "Öffnen Sie sie in einem PDF-Programm, speichern Sie sie neu und fügen Sie diese hinzu.",
    ),
    "PDF_EMPTY": ("Die Datei hat keinen lesbaren Text.", ""),
    "FILE_UNREADABLE": (
        "Die Datei lässt sich nicht lesen.",
        "Speichern Sie sie neu, oder fügen Sie ihren Text hinzu.",
    ),
    "FILE_EMPTY": ("Die Datei ist leer.", ""),
    "FILE_TOO_LARGE": ("Die Datei ist zu groß.", "Teilen Sie sie."),
    "PICTURE_TOO_LARGE": (
        "Das Bild hat zu viele Punkte: 100 Millionen dürfen es sein, 20.000 an einer Seite.",
        "Speichern Sie es kleiner.",
    ),
    "TOO_MANY_PAGES": ("Die Datei hat zu viele Seiten.", "Teilen Sie sie."),
    "TOO_MUCH_TEXT": ("Die Datei hat zu viel Text.", "Teilen Sie sie."),
    "TEXT_NOT_UTF8": (
        "Der Text ist nicht in UTF-8 gespeichert.",
        "Speichern Sie ihn so und fügen Sie ihn neu hinzu.",
    ),
    "UNSUPPORTED_CONTENT_TYPE": (
        "Dateien dieser Art werden nicht gelesen.",
        "Speichern Sie sie als PDF, Text, Office-Datei oder Bild.",
    ),
    "CONTENT_TYPE_MISMATCH": (
        "Der Inhalt ist von anderer Art, als der Name sagt.",
        "Fügen Sie die gemeinte Datei hinzu.",
    ),
    "CHECKSUM_MISMATCH": ("Die Datei kam verändert an.", "Fügen Sie sie neu hinzu."),
    "SIZE_MISMATCH": ("Die Datei kam nicht vollständig an.", "Fügen Sie sie neu hinzu."),
    "RESOURCE_EXHAUSTED": (
        "Die Datei zu lesen dauert zu lange oder braucht zu viel Speicher.",
        "Vereinfachen oder teilen Sie sie.",
    ),
    "TOO_MANY_PAGES_FAILED": ("Keine Seite ließ sich lesen.", "Speichern Sie die Datei neu."),
    "UPLOAD_EXPIRED": (
        "Die Datei kam nicht innerhalb einer Stunde an.",
        "Fügen Sie sie neu hinzu.",
    ),
    "BUDGET_EXCEEDED": (
        "Das Budget ist verbraucht.",
        "Erhöhen Sie es, oder warten Sie bis morgen.",
    ),
    "DOCUMENT_NOT_FOUND": ("Das Dokument gibt es nicht mehr.", ""),
    "COLLECTION_NOT_FOUND": (
        "Die Sammlung gibt es nicht.",
        "Fügen Sie ihr ein Dokument hinzu.",
    ),
    "TRACE_NOT_FOUND": (
        "Wie diese Antwort entstand, wird nicht mehr aufbewahrt: nach 30 Tagen wird es gelöscht.",
        "",
    ),
    "CONVERSATION_NOT_FOUND": ("Das Gespräch gibt es nicht mehr.", ""),
    "CONVERSATION_TAKEN": ("Das Gespräch gehört jemand anderem.", "Beginnen Sie ein neues."),
    "FORBIDDEN": ("Ihr Token erlaubt das nicht.", ""),
    "INTERNAL": (
        "Etwas Unerwartetes ist geschehen.",
        "Versuchen Sie es noch einmal; nennen Sie sonst die Nummer der Anfrage.",
    ),
}
"""By code: what happened and what to do."""

_PAGES: Final = r"(pages? [\d, ]+(?: and \d+ more)?)"
_WARNINGS: Final = (
    (r"the text is (\w+), (.*)", "Sprache des Textes: {0}; {1}"),
    (r"the text is in (\w+) letters, (.*)", "Schrift des Textes: {0}; {1}"),
    (
        (
            r"which (\S+) does not know: questions find little of it\. Add it to a new collection,"
            r" for which its language is chosen \(command line: (.*)\)"
        ),
        (
            "{0} kennt sie nicht, und Fragen finden wenig davon. Fügen Sie den Text einer"
            " neuen Sammlung hinzu, für die seine Sprache gewählt wird (Befehlszeile: {1})"
        ),
    ),
    (
        (
            r"nothing says in what the text is written, and it was read as (\S+): if letters are"
            r" wrong, (`.*`) says it"
        ),
        (
            "nichts sagt, in welcher Kodierung der Text ist, und er wurde als {0} gelesen: sind"
            " Buchstaben falsch, sagt {1} die richtige"
        ),
    ),
    (
        rf"(\d+) of (\d+) pages? could not be read \({_PAGES}\)",
        "{0} von {1} Seiten nicht lesbar ({2})",
    ),
    (
        rf"{_PAGES}: (\d+) hidden characters? (?:was|were) left out",
        "{0}: verborgene Zeichen, die ausgelassen wurden: {1}",
    ),
    (rf"{_PAGES}: not read: (.*)", "{0}: nicht gelesen: {1}"),
    (r"not read either: (\d+) more things like these", "auch nicht gelesen: {0} weitere wie diese"),
    (
        rf"{_PAGES}: the text was recognised by a program and may be wrong",
        "{0}: den Text hat ein Programm erkannt, und er kann falsch sein",
    ),
    (
        rf"{_PAGES}: words on pictures were recognised by a program and may be wrong",
        "{0}: Wörter auf Bildern hat ein Programm erkannt, und sie können falsch sein",
    ),
    (
        rf"{_PAGES}: recognised with little certainty \((\S+) of 1\): compare it with the file",
        "{0}: unsicher erkannt ({1} von 1): vergleichen Sie es mit der Datei",
    ),
    (r"CHUNKS_GARBLED: (\d+)", "{0} Stellen mit unlesbaren Zeichen"),
    (r"CHUNKS_TOO_LONG: (\d+)", "{0} sehr lange Stellen"),
    (r"CHUNKS_TOO_SHORT: (\d+)", "{0} sehr kurze Stellen"),
    # What pages and things are called within these sentences.
    (r"page (\d+)", "Seite {0}"),
    (r"pages ([\d, ]+)", "Seiten {0}"),
    (r"pages ([\d, ]+) and (\d+) more", "Seiten {0} und {1} weitere"),
    (r"headers and footers", "Kopf- und Fußzeilen"),
    (r"deleted text", "gelöschter Text"),
    (r"inserted text", "eingefügter Text"),
    (r"struck text", "durchgestrichener Text"),
    (r"text inserted from another file", "Text, der aus einer anderen Datei kommt"),
    (r"text boxes", "Textfelder"),
    (r"comments", "Kommentare"),
    (r"(\d+) charts?", "{0} Diagramm(e)"),
    (r"(\d+) diagrams?", "{0} Schaubild(er)"),
    (r"(\d+) embedded files?", "{0} eingebettete Datei(en)"),
    (r"(\d+) formulas? without a saved result", "{0} Formel(n) ohne gespeichertes Ergebnis"),
    (
        r"navigation, notices of cookies and footers, (\d+) characters",
        "Navigation, Cookie-Hinweise und Fußzeilen, {0} Zeichen",
    ),
    (
        r"words on pictures beside the text, if there are any",
        "Wörter auf Bildern neben dem Text, falls es welche gibt",
    ),
    (r"words on (\d+) pictures?, if there are any", "Wörter auf {0} Bild(ern), falls es sie gibt"),
    (r"the words on its picture", "die Wörter auf ihrem Bild"),
    (r"attachment (?P<name>.*)", "Anhang {name}"),
    (r"(\d+) more attachments", "{0} weitere Anhänge"),
    (r"attachments, whose list is broken", "Anhänge, deren Liste beschädigt ist"),
    (
        r"a form in XFA, whose fields only some programs show",
        "ein Formular in XFA, dessen Felder nur manche Programme zeigen",
    ),
    (
        r"the lower part of a picture that ends early",
        "der untere Teil eines Bildes, das vorzeitig endet",
    ),
    (
        r"the details of a picture that ends early",
        "die Einzelheiten eines Bildes, das vorzeitig endet",
    ),
)
"""English, and the German whose `{0}` are told in German too; what has a name of its own stays."""
EXPLANATIONS: Final = (
    (r"ranked (\d+) of (\d+), (.*)", "Platz {0} von {1}, {2}"),
    (
        r"its (\w+) may give (\d+), and better ones of it did",
        "mehr als {1} von dort ({0}) werden nicht genommen, und bessere waren es schon",
    ),
    (r"the same words as a chunk that ended (.*)", "dieselben Worte wie eine Stelle mit {0}"),
    (r"gate (\S+), best (\S+)", "Schwelle {0}, bester Wert {1}"),
    (r"best (\S+) < (\S+), (pages? \S+)", "bester Wert {0} < {1}, {2}"),
    (r"pages (\d+-\d+)", "Seiten {0}"),
    (r"the reranker read the first (\d+)", "das Modell las nur die ersten {0}"),
    (r"place (\d+) in the end, (\d+) are taken", "am Ende auf Platz {0}; genommen werden {1}"),
    (r"needs (\d+) tokens, (\d+) were left", "braucht {0} Tokens, {1} waren noch frei"),
    (
        r"returned as passage (\d+); no answer was asked for",
        "geliefert als Stelle {0}; eine Antwort war nicht verlangt",
    ),
    (r"cited as \[(\d+)\]", "zitiert als [{0}]"),
    (r"given to the answer as passage (\d+); (.*)", "der Antwort als Stelle {0} gegeben; {1}"),
    (r"the answer abstained, (.*)", "sie wurde abgelehnt, {0}"),
    (
        r"none of (\d+) verified citations is of this page",
        "keiner der {0} geprüften Belege ist von dieser Seite",
    ),
    (
        r"its document, in (.*), is not in the scope asked",
        "ihr Dokument, in {0}, gehört nicht zu dem, worin gesucht wurde",
    ),
    (
        r"the question names page ([\d, ]+); no other was searched",
        "die Frage nennt Seite {0}; andere wurden nicht durchsucht",
    ),
    (
        r"none of its (\d+) chunks has a vector of the model; (.*)",
        "keine ihrer {0} Stellen hat einen Vektor des Modells; {1}",
    ),
    (r"only words can find it", "nur über Wörter ist sie zu finden"),
    (
        r"read, and left out as one of (\d+) near-duplicates of what was found",
        "gelesen, und ausgelassen als eine von {0}, die fast dasselbe sagen wie Gefundenes",
    ),
    (r"indexed, but no leg read as far: (.*)", "durchsuchbar, aber so weit las keine Suche: {0}"),
    (
        r"indexed, but no leg brought it \(read: ([^)]*)\)(.*)",
        "durchsuchbar, aber keine Suche fand sie (gelesen: {0}){1}",
    ),
    (r"; lost: ([\w, ]+)(.*)", "; ausgefallen: {0}{1}"),
    (
        r"; left out: (\d+) near-duplicates of what was found",
        "; ausgelassen: {0}, die fast dasselbe sagen wie Gefundenes",
    ),
    (
        r"there is no such document: it was never ingested, or it was deleted",
        "das Dokument gibt es nicht: es wurde nie hinzugefügt, oder es ist gelöscht",
    ),
    (
        r"the document is not published; its newest version is (.*)",
        "das Dokument ist nicht veröffentlicht; seine neueste Version: {0}",
    ),
    (
        r"what is searched now was published after the question, (.*)",
        "was jetzt durchsucht wird, kam erst nach der Frage, {0}",
    ),
    (r"the document ends at page (\d+)", "das Dokument endet mit Seite {0}"),
    (
        r"no text could be read from the page: (.*)",
        "von der Seite war kein Text zu lesen: {0}",
    ),
    (r"nothing was recorded of it", "davon ist nichts vermerkt"),
    (r"the page has text, but no chunk of it", "die Seite hat Text, aber keine Stelle davon"),
)
"""Of a page that an answer does not have; the same form."""
_COMPILED: Final = tuple(
    (re.compile(english), german) for english, german in (*_WARNINGS, *EXPLANATIONS)
)

_NAMES: Final = {
    "unknown": "unbekannt",
    "page": "Seite",
    "section": "Abschnitt",
    "document": "Dokument",
    "Arabic": "Arabisch",
    "Armenian": "Armenisch",
    "Basque": "Baskisch",
    "Catalan": "Katalanisch",
    "Danish": "Dänisch",
    "Dutch": "Niederländisch",
    "English": "Englisch",
    "Estonian": "Estnisch",
    "Finnish": "Finnisch",
    "French": "Französisch",
    "German": "Deutsch",
    "Greek": "Griechisch",
    "Hungarian": "Ungarisch",
    "Indonesian": "Indonesisch",
    "Irish": "Irisch",
    "Italian": "Italienisch",
    "Lithuanian": "Litauisch",
    "Nepali": "Nepalesisch",
    "Norwegian": "Norwegisch",
    "Portuguese": "Portugiesisch",
    "Romanian": "Rumänisch",
    "Russian": "Russisch",
    "Serbian": "Serbisch",
    "Spanish": "Spanisch",
    "Swedish": "Schwedisch",
    "Tamil": "Tamilisch",
    "Turkish": "Türkisch",
    "Yiddish": "Jiddisch",
    "Chinese": "Chinesisch",
    "Japanese": "Japanisch",
    "Korean": "Koreanisch",
    "Polish": "Polnisch",
    "Thai": "Thailändisch",
    "Cyrillic": "Kyrillisch",
    "Hebrew": "Hebräisch",
}


def is_asked_for(event: Mapping[str, Any]) -> bool:
    """Say whether the sender of a request names German before English, if it names one at all."""
    headers: Mapping[str, str] = event.get("headers") or {}
    accepted = next(
        (text for name, text in headers.items() if name.lower() == "accept-language"), ""
    )
    named = (part.strip().lower()[:2] for part in accepted.split(","))
    return next((code for code in named if code in {"de", "en"}), "en") == "de"


def error_in_german(code: str, *, message: str, guidance: str) -> tuple[str, str]:
    """Return what happened and what to do; as they were, where this error has no German."""
    return ERRORS.get(code, (message, guidance))


def in_german(text: str) -> str:
    """Return a warning, an explanation or a part of one; as it was, where it has no German."""
    for english, german in _COMPILED:
        if (found := english.fullmatch(text)) is not None:
            return german.format(*map(in_german, found.groups()), **found.groupdict())
    return _NAMES.get(text, text)
