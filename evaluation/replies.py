"""A chat model's replies from a file, so that answers with one are measured without a provider.

They are written by hand as models reply, their faults with them: figures and quotes that are wrong,
sources that are others, the neighbour's fact under the name that was asked for.
"""

import json
import re
from collections.abc import Sequence
from itertools import repeat
from typing import Any, Final

from evaluation.datasets import QUESTIONS, rows
from pulsedocs.adapters.memory.chat import ScriptedChat
from pulsedocs.model.answers import ChatMessage

_ASKED: Final = "\n\nQuestion: "
_SOURCE: Final = re.compile(r"^\[(\d+)\] \(source: (.+), p\. [\d-]+\)\n", re.MULTILINE)


def replies() -> dict[str, list[Any]]:
    """Return what the model says to each question, at first and once it is told to mend it.

    A reply is prose, or JSON that names its sources by their files.
    """
    return {row["question"]: row["replies"] for row in rows(QUESTIONS / "replies.jsonl")}


def recorded_chat() -> ScriptedChat:
    """Return a model that gives these replies; KeyError where it has none to a question."""
    known = replies()

    def reply(messages: Sequence[ChatMessage]) -> str:
        prompt = next(one.content for one in messages if _ASKED in one.content)
        sources, _, question = prompt.rpartition(_ASKED)
        said = known[question]
        again = sum(one.role == "assistant" for one in messages)
        text = said[min(again, len(said) - 1)]
        return text if isinstance(text, str) else _numbered(text, sources)

    return ScriptedChat(repeat(reply))


def _numbered(reply: dict[str, Any], sources: str) -> str:
    """Return a reply with the numbers that its sources have in this prompt; 0 for one not there."""
    _, *parts = _SOURCE.split(sources)
    shown = list(zip(map(int, parts[::3]), parts[1::3], parts[2::3], strict=True))

    def number(source: str, quote: str) -> int:
        own = [(n, text) for n, name, text in shown if name == source]
        having = [n for n, text in own if quote in text]
        return next(iter([*having, *(n for n, _ in own)]), 0)

    sentences = [
        {
            "text": one["text"],
            "citations": [
                {"source": number(**cited), "quote": cited["quote"]} for cited in one["citations"]
            ],
        }
        for one in reply["sentences"]
    ]
    return json.dumps({"sentences": sentences})
