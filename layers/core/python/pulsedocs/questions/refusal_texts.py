"""What a reader is told in place of an answer, in the language of the question."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from pulsedocs.model.answers import Abstained
from pulsedocs.model.retrieval import Abstention


@dataclass(frozen=True, slots=True)
class RefusalTexts:
    """`chosen` names those that the stage's settings state: they are said in every language."""

    no_information: str
    not_indexed: str
    empty_query: str
    no_answer: str
    not_found: str = ""
    """Where part of the scope could not be searched: nobody knows what it contains."""
    language_unknown: str = ""
    """Where no model knows the language of the question, or of what was found."""
    no_documents: str = ""
    """Where there is nothing to search; empty says where it was looked for."""
    no_such_page: str = ""
    """Where the document has no such page; empty says how many it has."""
    which_document: str = ""
    """Where one of several documents is meant; empty says how many are searched."""
    chosen: frozenset[str] = frozenset()

    def in_language(self, code: str | None) -> "RefusalTexts":
        texts = _TRANSLATED.get(code or "", {})
        kept = {name: text for name, text in texts.items() if name not in self.chosen}
        return replace(self, **kept)

    def abstention(self, reason: Abstention, detail: str, *, unsure: str = "") -> Abstained:
        """Return a refusal; `unsure` is what it says where the answer may be there all the same."""
        message = {
            Abstention.EMPTY_QUERY: self.empty_query,
            Abstention.NOT_INDEXED_FOR_MODEL: self.not_indexed,
            Abstention.NO_ANSWER_IN_CONTEXT: unsure or self.no_answer,
            Abstention.NO_SUCH_PAGE: f"{self.no_information} {self.no_such_page or detail}".strip(),
            # What they contain was not looked for.
            Abstention.WHICH_DOCUMENT: self.which_document or detail,
            Abstention.NO_DOCUMENTS: self.no_documents or detail,
        }.get(reason, unsure or self.no_information)
        return Abstained(reason, message, detail)


_TRANSLATED: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "de": {
            "no_information": "Die vorliegenden Dokumente enthalten diese Angabe nicht.",
            "not_indexed": "Dieses Dokument ist für das gewählte Modell nicht erfasst.",
            "no_answer": "Um das zu beantworten, sagen mir die Dokumente nicht genug.",
            "not_found": "Das wurde nicht gefunden, aber ein Teil der Dokumente konnte nicht"
            " durchsucht werden: Er ist für dieses Modell nicht erfasst oder hat keinen lesbaren"
            " Text.",
            "language_unknown": "Das wurde nicht gefunden, kann aber in anderen Worten dort stehen:"
            " Kein Modell, das hier sucht, kennt die Sprache der Frage oder dieser Dokumente. Eine"
            " Sammlung mit einem mehrsprachigen Modell findet mehr.",
            "no_documents": "Hier gibt es kein Dokument, das durchsucht werden kann.",
            "no_such_page": "Die genannte Seite hat das Dokument nicht.",
            "which_document": "Das fragt nach einem Dokument als Ganzem, und es werden mehrere"
            " durchsucht: Bitte eines auswählen.",
        },
        "fr": {
            "no_information": "Les documents fournis ne contiennent pas cette information.",
            "not_indexed": "Ce document n'est pas indexé pour le modèle choisi.",
            "no_answer": "Je n'ai pas assez d'informations pour répondre à cette question.",
            "not_found": "Cela n'a pas été trouvé, mais une partie des documents n'a pas pu être"
            " consultée : elle n'est pas indexée pour ce modèle ou n'a pas de texte lisible.",
            "language_unknown": "Cela n'a pas été trouvé, mais peut y figurer en d'autres termes :"
            " aucun modèle qui cherche ici ne connaît la langue de la question ou de ces documents."
            " Une collection dotée d'un modèle multilingue trouve davantage.",
            "no_documents": "Il n'y a ici aucun document qui puisse être consulté.",
            "no_such_page": "Le document n'a pas la page indiquée.",
            "which_document": "Cela porte sur un document dans son ensemble, et plusieurs sont"
            " consultés : veuillez en choisir un.",
        },
        "es": {
            "no_information": "Los documentos disponibles no contienen esta información.",
            "not_indexed": "Este documento no está indexado para el modelo elegido.",
            "no_answer": "No tengo suficiente información para responder a eso.",
            "not_found": "No se ha encontrado, pero no se pudo buscar en una parte de los"
            " documentos: no está indexada para este modelo o no tiene texto legible.",
            "language_unknown": "No se ha encontrado, pero puede estar con otras palabras: ningún"
            " modelo que busca aquí conoce el idioma de la pregunta o de estos documentos. Una"
            " colección con un modelo multilingüe encuentra más.",
            "no_documents": "Aquí no hay ningún documento en el que buscar.",
            "no_such_page": "El documento no tiene la página indicada.",
            "which_document": "Esto pregunta por un documento en su conjunto, y se busca en"
            " varios: elija uno.",
        },
        "it": {
            "no_information": "I documenti forniti non contengono questa informazione.",
            "not_indexed": "Questo documento non è indicizzato per il modello scelto.",
            "no_answer": "Non ho abbastanza informazioni per rispondere.",
            "not_found": "Non è stato trovato, ma una parte dei documenti non ha potuto essere"
            " consultata: non è indicizzata per questo modello o non ha testo leggibile.",
            "language_unknown": "Non è stato trovato, ma può esserci con altre parole: nessun"
            " modello che cerca qui conosce la lingua della domanda o di questi documenti. Una"
            " raccolta con un modello multilingue trova di più.",
            "no_documents": "Qui non c'è nessun documento in cui cercare.",
            "no_such_page": "Il documento non ha la pagina indicata.",
            "which_document": "La domanda riguarda un documento nel suo insieme, e se ne"
            " consultano diversi: sceglierne uno.",
        },
        "pt": {
            "no_information": "Os documentos fornecidos não contêm esta informação.",
            "not_indexed": "Este documento não está indexado para o modelo escolhido.",
            "no_answer": "Não tenho informação suficiente para responder a isso.",
            "not_found": "Não foi encontrado, mas não foi possível pesquisar uma parte dos"
            " documentos: não está indexada para este modelo ou não tem texto legível.",
            "language_unknown": "Não foi encontrado, mas pode estar lá por outras palavras: nenhum"
            " modelo que pesquisa aqui conhece a língua da pergunta ou destes documentos. Uma"
            " coleção com um modelo multilingue encontra mais.",
            "no_documents": "Aqui não há nenhum documento que se possa pesquisar.",
            "no_such_page": "O documento não tem a página indicada.",
            "which_document": "Isto pergunta por um documento no seu conjunto, e são pesquisados"
            " vários: escolha um.",
        },
        "nl": {
            "no_information": "De beschikbare documenten bevatten deze informatie niet.",
            "not_indexed": "Dit document is niet geïndexeerd voor het gekozen model.",
            "no_answer": "Ik heb niet genoeg informatie om dat te beantwoorden.",
            "not_found": "Dit is niet gevonden, maar een deel van de documenten kon niet worden"
            " doorzocht: het is niet geïndexeerd voor dit model of heeft geen leesbare tekst.",
            "language_unknown": "Dit is niet gevonden, maar het kan er in andere woorden staan:"
            " geen model dat hier zoekt, kent de taal van de vraag of van deze documenten. Een"
            " collectie met een meertalig model vindt meer.",
            "no_documents": "Hier is geen document dat kan worden doorzocht.",
            "no_such_page": "Het document heeft de genoemde pagina niet.",
            "which_document": "Dit vraagt naar een document als geheel, en er worden er meer"
            " doorzocht: kies er een.",
        },
    }
)
