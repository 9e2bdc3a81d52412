"""What a question asks for, and whether a sentence has it."""
