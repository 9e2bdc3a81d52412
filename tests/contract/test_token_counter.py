"""Token counts: exact where a provider bills by them, quick where a test needs a number."""

import os
from pathlib import Path

import pytest

from pulsedocs.adapters.local.files import SHA256
from pulsedocs.adapters.local.tokens import TiktokenCounter
from pulsedocs.adapters.memory.tokens import WhitespaceTokenCounter
from pulsedocs.errors import ConfigurationError
from pulsedocs.ports.providers import TokenCounter


class TokenCounterContract:
    """What every `ports.providers.TokenCounter` promises; a plug-in's test gives the fixture."""

    @pytest.fixture
    def count_tokens(self) -> TokenCounter:
        raise NotImplementedError

    def test_nothing_is_no_token_and_more_words_are_more_tokens(
        self, count_tokens: TokenCounter
    ) -> None:
        assert count_tokens("") == 0
        assert 0 < count_tokens("one") < count_tokens("one two three")

    @pytest.mark.parametrize("text", ["\x00x", "lone \ud83d", "中文 🙂", "<|endoftext|>"])
    def test_an_odd_text_is_counted(self, count_tokens: TokenCounter, text: str) -> None:
        assert count_tokens(text) == count_tokens(text) > 0

    @pytest.mark.timeout(20)
    @pytest.mark.parametrize("text", ["a", "^", " ", "ab ", "中"])
    def test_a_200_kb_text_is_counted_in_time(self, count_tokens: TokenCounter, text: str) -> None:
        assert count_tokens(text * 200_000) >= 0


class TestWhitespaceTokenCounter(TokenCounterContract):
    @pytest.fixture
    def count_tokens(self) -> TokenCounter:
        return WhitespaceTokenCounter()


class TestTiktokenCounter(TokenCounterContract):
    @pytest.fixture(params=["cl100k_base", "o200k_base"])
    def count_tokens(self, request: pytest.FixtureRequest, model_directory: Path) -> TokenCounter:
        return TiktokenCounter(model_directory, encoding=request.param)


@pytest.mark.parametrize(("encoding", "tokens"), [("cl100k_base", 9), ("o200k_base", 8)])
def test_it_counts_as_openai_does(model_directory: Path, encoding: str, tokens: int) -> None:
    """S4-03: the counts that OpenAI publishes for this greeting."""
    counter = TiktokenCounter(model_directory, encoding=encoding)

    assert counter("お誕生日おめでとう") == tokens


def test_a_special_word_in_a_document_is_plain_text(model_directory: Path) -> None:
    assert TiktokenCounter(model_directory)("<|endoftext|>") > 1


def test_loading_leaves_the_environment_as_it_was(
    model_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/somewhere")
    before = dict(os.environ)  # noqa: TID251 -- the claim is about the environment

    TiktokenCounter(model_directory)

    assert dict(os.environ) == before  # noqa: TID251 -- the claim is about the environment


def test_a_missing_or_damaged_rank_file_is_named_and_nothing_is_downloaded(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="tiktoken/9b5ad71b"):
        TiktokenCounter(tmp_path)

    name = next(name for name in SHA256 if name.startswith("tiktoken/"))
    (tmp_path / "tiktoken").mkdir()
    (tmp_path / name).write_bytes(b"!" * 100)
    with pytest.raises(ConfigurationError, match="damaged"):
        TiktokenCounter(tmp_path)


def test_an_unknown_encoding_is_refused(model_directory: Path) -> None:
    with pytest.raises(ConfigurationError, match="p50k_base"):
        TiktokenCounter(model_directory, encoding="p50k_base")
