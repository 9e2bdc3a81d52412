"""An answer without a chat model."""
