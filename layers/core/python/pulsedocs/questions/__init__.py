"""From a question to passages, an answer and its trace."""
