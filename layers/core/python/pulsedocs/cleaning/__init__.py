"""Raw pages to text that can be searched and quoted, without losing where it stood."""

from pulsedocs.cleaning.budget import CpuBudget
from pulsedocs.cleaning.pages import clean

__all__ = ["CpuBudget", "clean"]
