"""A question is prefixed for the models that were trained so, and for no other."""

from pulsedocs.embedding import query_prefix


def test_bge_wants_its_sentence_in_front_of_a_question() -> None:
    assert query_prefix("local:bge-small-en-v1.5@384").endswith("relevant passages: ")


def test_other_models_want_nothing() -> None:
    assert query_prefix("openai:text-embedding-3-small@1536") == ""
