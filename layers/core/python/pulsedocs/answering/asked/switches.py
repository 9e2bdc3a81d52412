"""What is switched on or off, and the verbs for either: the small word behind one decides."""

import re
from typing import Final

_BETWEEN: Final = r"(?:\s+[\w'-]+){0,6}?\s+"
_VERB: Final = re.compile(
    r"(?:switch|turn|shut|power)(?:s|e[sd]|ed|ing|ting)?$|(?:dis|en)abl|(?:de)?activat|\w*schalt|(?:de)?aktivier"
    r"|\u00e9tei|allum|d\u00e9sactiv|apag|desactiv|enc(?:ie|e)nd"
)
_SWITCHED: Final = (
    re.compile(  # off
        rf"\b(?:(?:switch|turn|shut|power)\w*{_BETWEEN}off|shut\w*{_BETWEEN}down|(?:disabl|deactivat)\w+"
        rf"|(?:aus|ab)(?:zu|ge)?schalt\w+|schalt\w*{_BETWEEN}(?:aus|ab)|deaktivier\w+"
        r"|(?:\u00e9tei|d\u00e9sactiv|apag|desactiv)\w+)\b",
        re.IGNORECASE,
    ),
    re.compile(  # on
        rf"\b(?:(?:switch|turn|power)\w*{_BETWEEN}on|(?:enabl|activat)\w+"
        rf"|(?:ein|an)(?:zu|ge)?schalt\w+|schalt\w*{_BETWEEN}(?:ein|an)|aktivier\w+"
        r"|(?:allum|activ|encend|enciend)\w+)\b",
        re.IGNORECASE,
    ),
)


def is_switched(term: str, question: str, text: str) -> bool:
    """Say whether a term switches something in a question, as a text does in another verb.

    Who asks how it is "turned off" is told what "disables" it, and not what "turns it on".
    """
    return _VERB.match(term) is not None and any(
        term in found.group().lower() and way.search(text) is not None
        for way in _SWITCHED
        for found in way.finditer(question)
    )
