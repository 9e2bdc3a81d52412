"""Plug-ins: how they are found, and how they become what the ports ask for."""

from pulsedocs.adapters.plugins.embedder import PluginEmbedder
from pulsedocs.adapters.plugins.registry import Registry
from pulsedocs.adapters.plugins.reranker import PluginReranker

__all__ = ["PluginEmbedder", "PluginReranker", "Registry"]
