"""What the control objects that ask for a probe or a removal hold: the model's name."""

from pydantic import BaseModel, ConfigDict, ValidationError

from pulsedocs.errors import ArtifactInvalid


class _Record(BaseModel):
    model_config = ConfigDict(strict=True)

    model: str


def naming(model: str) -> bytes:
    return _Record(model=model).model_dump_json().encode()


def named_model(body: bytes) -> str:
    """Return the name; raise ArtifactInvalid for a body that is no such record."""
    try:
        return _Record.model_validate_json(body).model
    except ValidationError:
        raise ArtifactInvalid("the request about a model cannot be read") from None
