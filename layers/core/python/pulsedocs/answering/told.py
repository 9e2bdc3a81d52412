"""What a reader is told beside the documents' words, in the language of the question.

One row per language whose small words are known (`answering.languages`); English is for all others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pulsedocs.answering.languages import language_of
from pulsedocs.model.answers import Reading


@dataclass(frozen=True, slots=True)
class Told:
    """`own_words` begins what is left to the reader of each kind of question.

    `part`, and `rows`, have a place for what they name.
    """

    own_words: str
    first_words: str
    left: Mapping[Reading, str]
    part: str
    rows: str
    more: str

    def of(self, reading: Reading) -> str:
        begun = self.first_words if reading is Reading.OVERVIEW else self.own_words
        return f"{begun}; {self.left[reading]}"


_TOLD: Final[Mapping[str, Told]] = MappingProxyType(
    {
        "en": Told(
            own_words="These are the documents' own words",
            first_words="These are the document's first words",
            left={
                Reading.YES_NO: "whether they mean yes or no has to be read from them.",
                Reading.COUNT: "nothing was counted: the number has to be read from them.",
                Reading.COMPARISON: "nothing was compared: the comparison has to be read from"
                " them.",
                Reading.SUM: "nothing was computed: the result has to be worked out from the"
                " figures in them.",
                Reading.OVERVIEW: "nothing was summarised: what it says as a whole has to be read"
                " from it.",
            },
            part="Nothing was found that answers this part: {}.",
            rows="At least {} more rows of the table say as much.",
            more="There may be more than these.",
        ),
        "de": Told(
            own_words="Das sind die eigenen Worte der Dokumente",
            first_words="Das sind die ersten Worte des Dokuments",
            left={
                Reading.YES_NO: "ob sie ja oder nein bedeuten, ist aus ihnen zu lesen.",
                Reading.COUNT: "gezählt wurde nichts: Die Zahl ist aus ihnen zu lesen.",
                Reading.COMPARISON: "verglichen wurde nichts: Der Vergleich ist aus ihnen zu"
                " lesen.",
                Reading.SUM: "gerechnet wurde nichts: Das Ergebnis ist aus ihren Zahlen zu bilden.",
                Reading.OVERVIEW: "zusammengefasst wurde nichts: Was es im Ganzen sagt, ist dort"
                " zu lesen.",
            },
            part="Zu diesem Teil wurde nichts gefunden: {}.",
            rows="Mindestens {} weitere Zeilen der Tabelle sagen ebenso viel.",
            more="Es kann mehr als diese geben.",
        ),
        "fr": Told(
            own_words="Ce sont les mots mêmes des documents",
            first_words="Ce sont les premiers mots du document",
            left={
                Reading.YES_NO: "c'est à y lire s'ils veulent dire oui ou non.",
                Reading.COUNT: "rien n'a été compté : le nombre est à y lire.",
                Reading.COMPARISON: "rien n'a été comparé : la comparaison est à y lire.",
                Reading.SUM: "rien n'a été calculé : le résultat est à tirer de leurs chiffres.",
                Reading.OVERVIEW: "rien n'a été résumé : ce qu'il dit dans l'ensemble est à y"
                " lire.",
            },
            part="Rien n'a été trouvé qui réponde à cette partie : {}.",
            rows="Au moins {} autres lignes du tableau en disent autant.",
            more="Il peut y en avoir d'autres.",
        ),
        "es": Told(
            own_words="Son las propias palabras de los documentos",
            first_words="Son las primeras palabras del documento",
            left={
                Reading.YES_NO: "hay que leer en ellas si significan sí o no.",
                Reading.COUNT: "no se ha contado nada: hay que leer en ellas el número.",
                Reading.COMPARISON: "no se ha comparado nada: hay que leer en ellas la"
                " comparación.",
                Reading.SUM: "no se ha calculado nada: el resultado hay que obtenerlo de sus"
                " cifras.",
                Reading.OVERVIEW: "no se ha resumido nada: lo que dice en conjunto hay que leerlo"
                " en él.",
            },
            part="No se ha encontrado nada que responda a esta parte: {}.",
            rows="Al menos {} filas más de la tabla dicen lo mismo.",
            more="Puede haber más que estos.",
        ),
        "it": Told(
            own_words="Sono le parole stesse dei documenti",
            first_words="Sono le prime parole del documento",
            left={
                Reading.YES_NO: "se significano sì o no, va letto lì.",
                Reading.COUNT: "nulla è stato contato: il numero va letto lì.",
                Reading.COMPARISON: "nulla è stato confrontato: il confronto va letto lì.",
                Reading.SUM: "nulla è stato calcolato: il risultato va ricavato dalle cifre.",
                Reading.OVERVIEW: "nulla è stato riassunto: ciò che dice nel complesso va letto"
                " lì.",
            },
            part="Non è stato trovato nulla che risponda a questa parte: {}.",
            rows="Almeno altre {} righe della tabella dicono altrettanto.",
            more="Possono essercene altri.",
        ),
        "pt": Told(
            own_words="São as próprias palavras dos documentos",
            first_words="São as primeiras palavras do documento",
            left={
                Reading.YES_NO: "se querem dizer sim ou não, é preciso ler nelas.",
                Reading.COUNT: "nada foi contado: o número é preciso ler nelas.",
                Reading.COMPARISON: "nada foi comparado: a comparação é preciso ler nelas.",
                Reading.SUM: "nada foi calculado: o resultado é preciso tirar dos seus números.",
                Reading.OVERVIEW: "nada foi resumido: o que diz no conjunto é preciso ler nele.",
            },
            part="Nada foi encontrado que responda a esta parte: {}.",
            rows="Pelo menos mais {} linhas da tabela dizem o mesmo.",
            more="Pode haver mais do que estes.",
        ),
        "nl": Told(
            own_words="Dit zijn de eigen woorden van de documenten",
            first_words="Dit zijn de eerste woorden van het document",
            left={
                Reading.YES_NO: "of ze ja of nee betekenen, moet eruit worden gelezen.",
                Reading.COUNT: "er is niets geteld: het aantal moet eruit worden gelezen.",
                Reading.COMPARISON: "er is niets vergeleken: de vergelijking moet eruit worden"
                " gelezen.",
                Reading.SUM: "er is niets berekend: de uitkomst moet uit de cijfers worden"
                " gehaald.",
                Reading.OVERVIEW: "er is niets samengevat: wat het als geheel zegt, moet eruit"
                " worden gelezen.",
            },
            part="Er is niets gevonden dat dit deel beantwoordt: {}.",
            rows="Minstens {} andere rijen van de tabel zeggen evenveel.",
            more="Er kunnen er meer zijn dan deze.",
        ),
    }
)


def told_to(question: str) -> Told:
    """Return what is told to who asks, in the question's language where that is clear."""
    return _TOLD.get(language_of(question) or "en", _TOLD["en"])
