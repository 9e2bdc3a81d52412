"""Raw pages to text that can be searched and quoted, without losing where it stood."""

from pulsedocs.cleaning.budget import CpuBudget
from pulsedocs.cleaning.pages import CLEANING_REVISION, clean

__all__ = ["CLEANING_REVISION", "CpuBudget", "clean"]
