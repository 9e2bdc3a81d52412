"""A plug-in's embedder behind the port: its vectors are checked before anyone believes them."""

from collections.abc import Sequence

from pulsedocs.calls.tries import within
from pulsedocs.embedding import encodable, normalise, validate_vectors
from pulsedocs.errors import EmbeddingError, ProviderMalformed, PulseDocsError, TimedOut
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch, ModelName
from pulsedocs.model.tokens import tokens_about
from pulsedocs.plugins import BaseEmbedder


class PluginEmbedder:
    """Implements `ports.providers.Embedder`; tokens are estimated, as a plug-in counts none."""

    def __init__(self, name: ModelName, plugin: BaseEmbedder) -> None:
        if plugin.get_dimensions() != name.dimensions:
            raise EmbeddingError(
                f"the plug-in {name.provider!r} has {plugin.get_dimensions()} dimensions,"
                f" not {name.dimensions}"
            )
        self._name = name
        self._plugin = plugin

    @property
    def model(self) -> str:
        return str(self._name)

    @property
    def dimensions(self) -> int:
        return self._name.dimensions

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        """Embed; a text that gets an empty vector or one without a direction is refused."""
        if not texts:
            return EmbeddedBatch((), input_tokens=0)
        # A vector without direction has no length to divide by: its text is refused.
        vectors = [
            normalise(vector) if any(vector) else () for vector in self._embed(texts, deadline)
        ]
        refused = tuple(index for index, vector in enumerate(vectors) if not vector)
        accepted = [vector for vector in vectors if vector]
        validate_vectors(accepted, expected_count=len(accepted), dimensions=self.dimensions)
        if len(vectors) != len(texts):
            raise ProviderMalformed(
                f"the plug-in {self.model!r} gave {len(vectors)} vectors for {len(texts)} texts"
            )
        return EmbeddedBatch(tuple(vectors), sum(map(tokens_about, texts)), refused)

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        [vector] = self.embed_passages([text], deadline=deadline).vectors
        if not vector:
            raise ProviderMalformed(f"the plug-in {self.model!r} gave a question no vector")
        return vector

    def _embed(self, texts: Sequence[str], deadline: Deadline) -> Sequence[Sequence[float]]:
        readable = [encodable(text) for text in texts]
        deadline.timeout(1)
        try:
            return within(deadline, lambda: self._plugin.embed(readable))
        except PulseDocsError:
            raise
        except TimeoutError:
            raise TimedOut(f"the plug-in {self.model!r} took too long") from None
        except Exception as error:
            raise EmbeddingError(
                f"the plug-in {self.model!r} failed: {type(error).__name__}"
            ) from error
