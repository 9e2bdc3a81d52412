"""Words with which questions begin, without their accents."""

from typing import Final

WHEN: Final = "when|wann|quand|cuando|quando|wanneer"
WHO: Final = "who|wer|qui|quien(?:es)?|chi|quem"
WHERE: Final = "where|wo(?:hin|her)?|ou|donde|dove|onde|waar(?:heen)?"
