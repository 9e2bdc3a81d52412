"""A model that is read whole cites by structure, and is told once where nothing holds."""

import json
from typing import Any

import pytest

from pulsedocs.adapters.memory.chat import Reply, ScriptedChat
from pulsedocs.answering.claims import MAX_ANSWER
from pulsedocs.answering.prompt import REPAIR
from pulsedocs.answering.structured import CITED_ANSWER
from pulsedocs.errors import ProviderRefused, ProviderUnavailable
from pulsedocs.model.answers import Completion, ReplySchema
from tests.unit.questions.shelf import lease_shelf
from tests.unit.questions.test_question_ask import GOOD, RENT, ask, proven

WORDS = "due on the third day of the month"


def said(*sentences: tuple[str, int, str]) -> str:
    return json.dumps(
        {
            "sentences": [
                {"text": text, "citations": [{"source": source, "quote": quote}]}
                for text, source, quote in sentences
            ]
        }
    )


STRUCTURED = said(("Rent is due on the third day.", 1, WORDS))
WRONG = said(("Rent is due on the ninth day.", 1, "due on the ninth day of May"))


class SchemaChat(ScriptedChat):
    """Notes the schemas it is asked to follow; refuses them where it `knows_none`."""

    def __init__(self, *replies: Reply, knows_none: bool = False) -> None:
        super().__init__(replies)
        self.schemas: list[ReplySchema | None] = []
        self._knows_none = knows_none

    def complete(self, *args: Any, **options: Any) -> Completion:
        self.schemas.append(options.get("reply_schema"))
        if self._knows_none and options.get("reply_schema") is not None:
            raise ProviderRefused("response_format is not supported")
        return super().complete(*args, **options)


def test_citations_are_asked_for_by_schema() -> None:
    chat, shelf = SchemaChat(STRUCTURED), lease_shelf()

    answer = ask(RENT, shelf, chat=chat)

    assert chat.schemas == [CITED_ANSWER]
    assert answer.text == "Rent is due on the third day [1]."
    assert proven(answer, shelf)


@pytest.mark.parametrize("reply", [GOOD, f"```json\n{STRUCTURED}\n```"])
def test_a_provider_without_schemas_is_read_all_the_same(reply: str) -> None:
    chat = SchemaChat(reply, knows_none=True)

    answer = ask(RENT, lease_shelf(), chat=chat)

    assert chat.schemas == [CITED_ANSWER, None]
    assert answer.text == "Rent is due on the third day [1]."


CUT = said(("Rent is due on the third day.", 1, WORDS), ("Cats are allowed.", 1, "Cats are"))[:-9]
DRAFT = STRUCTURED.replace("Rent", "The rent")
SENTENCE = STRUCTURED.removeprefix('{"sentences": [').removesuffix("]}")


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(CUT, id="cut at its limit"),
        pytest.param(CUT[: CUT.index("}]}") + 3], id="cut behind a sentence"),
        pytest.param(f"{STRUCTURED}\n\nI hope this helps!", id="words behind"),
        pytest.param(f"Here is the JSON {{as asked}}:\n```JSON\n{STRUCTURED}\n```", id="before"),
        pytest.param(f"<think>{WRONG} No.</think>\n{STRUCTURED}", id="thoughts"),
        pytest.param(f"{DRAFT}\n</think>\n{STRUCTURED}", id="drafts"),
        pytest.param(f"<think>{GOOD.replace('Rent', 'The rent')}</think>\n{GOOD}", id="prose"),
        pytest.param(f"\ufeff{STRUCTURED}", id="byte order mark"),
        pytest.param(f"[{SENTENCE}]", id="bare list"),
        pytest.param(STRUCTURED.replace("1,", '"1",'), id="number as a text"),
        pytest.param(
            STRUCTURED.replace('[{"source', '{"source').replace('"}]', '"}'), id="no list of one"
        ),
        pytest.param(f'{{"sentences": [{json.dumps(GOOD)}]}}', id="sentences of prose"),
        pytest.param(STRUCTURED.replace("third day.", "third\nday."), id="line break in a text"),
        pytest.param(f'{STRUCTURED[:-2]}, {{"text": "Cats are green."}}]}}', id="no citations"),
        pytest.param(f'{STRUCTURED[:-2]}, {{"text": null, "citations": []}}]}}', id="no text"),
        pytest.param(
            STRUCTURED.replace(
                '[{"source', '[{"source": 1, "quote": "%s"}, {"source' % ("a" * 2001)
            ),
            id="a quote too long",
        ),
        pytest.param(STRUCTURED[:-2] + ', {"text": "", "citations": []}' * 100 + "]}", id="101"),
        pytest.param(
            f'{STRUCTURED[:-2]}, {{"text": "{"a" * MAX_ANSWER}"', id="longer than is read"
        ),
        pytest.param('{"sentences":' * 100 + STRUCTURED, id="nested and cut"),
    ],
)
def test_a_flaw_of_a_reply_costs_no_sentence_that_is_whole(reply: str) -> None:
    """Fails when: one flaw makes prose of it, which proves nothing and is paid for twice."""
    chat = SchemaChat(reply, WRONG)

    answer = ask(RENT, lease_shelf(), chat=chat)

    assert answer.text == "Rent is due on the third day [1]."
    assert len(chat.asked) == 1


def test_a_sentence_that_a_model_repeats_is_shown_once() -> None:
    chat = SchemaChat(STRUCTURED[:-2] + ", " + f"{SENTENCE}, " * 50 + f"{SENTENCE}]}}")

    answer = ask(RENT, lease_shelf(), chat=chat)

    assert answer.text == "Rent is due on the third day [1]."
    assert len(answer.citations) == 1


def test_json_without_a_sentence_that_can_be_read_is_no_refusal_of_the_model() -> None:
    """Fails when: `detail` says that the model found no answer, and it is not asked again."""
    chat = SchemaChat('{"sentences": [{"answer": "On the third."}]}', STRUCTURED)

    assert ask(RENT, lease_shelf(), chat=chat).text == "Rent is due on the third day [1]."


def test_a_reply_that_was_cut_while_thinking_is_no_answer() -> None:
    chat = SchemaChat(f"<think>{GOOD} But then")

    answer = ask(RENT, lease_shelf(), chat=chat)

    assert answer.degraded == ("generation",)
    assert answer.model == "extractive"
    assert "think" not in answer.text


def test_a_model_whose_quotes_do_not_hold_answers_once_more() -> None:
    chat, shelf = SchemaChat(WRONG, STRUCTURED), lease_shelf()

    answer = ask(RENT, shelf, chat=chat)

    assert answer.text == "Rent is due on the third day [1]."
    assert chat.asked[1][-1].content == REPAIR
    assert answer.output_tokens > len(WRONG) // 8  # both replies are paid for


@pytest.mark.parametrize("second", [WRONG, ProviderUnavailable("down")])
def test_it_is_told_once_only(second: Reply) -> None:
    chat = SchemaChat(WRONG, second, STRUCTURED)

    answer = ask(RENT, lease_shelf(), chat=chat)

    assert answer.abstained is not None
    assert len(chat.asked) == 2


@pytest.mark.parametrize(
    "reply",
    [
        '{"sentences": []}',
        "NO_ANSWER",
        "NO_ANSWER. The sources do not say.",
        "I don't have enough information in the provided documents. Ask the landlord.",
        "I\u2019m sorry, but the context doesn\u2019t mention it.",
        '{"sentences": [{"text": "The sources do not say when.", "citations": []}]}',
        "Die Quellen enthalten dazu keine Angaben.",
        "Les documents ne le disent pas.",
    ],
)
def test_a_refusal_is_not_asked_again(reply: str) -> None:
    chat = SchemaChat(reply, STRUCTURED)

    answer = ask(RENT, lease_shelf(), chat=chat)

    assert answer.abstained is not None
    assert answer.abstained.detail == "the model says that the passages do not answer"
    assert len(chat.asked) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "The rent is not due on the third day.",
        'The documents say no more [1: "due on the ninth day of May"].',
        'The sources do not give an hour. Rent is due [1: "due on the ninth day of May"].',
    ],
)
def test_an_answer_with_a_denial_in_it_is_no_refusal(reply: str) -> None:
    chat = SchemaChat(reply, STRUCTURED)

    assert ask(RENT, lease_shelf(), chat=chat).text == "Rent is due on the third day [1]."


def test_a_wrong_calculation_is_asked_again_though_another_sentence_holds() -> None:
    rent = ("The rent is 1,200 EUR a month.", 1, "The monthly rent is 1,200 EUR")
    wrong = ("A quarter costs 1,200 + 1,200 + 1,200 = 3,700 EUR.", 1, "monthly rent is 1,200 EUR")
    right = ("A quarter costs 1,200 + 1,200 + 1,200 = 3,600 EUR.", 1, "monthly rent is 1,200 EUR")
    chat = SchemaChat(said(rent, wrong), said(rent, right))

    answer = ask("What is the total rent of a quarter?", lease_shelf(), chat=chat, profile="fast")

    assert "= 3,600 EUR" in answer.text
    assert "3,700" not in answer.text


def test_sentences_hidden_behind_the_last_ones_quote_are_not_shown() -> None:
    chat = SchemaChat(said(("Dogs are free of charge. Rent is due on the third day.", 1, WORDS)))

    answer = ask(RENT, lease_shelf(), chat=chat)

    assert answer.text == "Rent is due on the third day [1]."


def test_quoted_words_say_what_they_leave_to_their_reader() -> None:
    shelf = lease_shelf()

    asked = ask("Are cats allowed?", shelf)
    by_model = ask(
        "Are cats allowed?",
        shelf,
        chat=SchemaChat(said(("Yes, cats are allowed.", 1, "Cats are allowed"))),
    )

    assert asked.note is not None
    assert asked.note.kind.value == "yes_no"
    assert "Cats are allowed" in asked.text
    assert by_model.text == "Yes, cats are allowed [1]."
    assert by_model.note is None
