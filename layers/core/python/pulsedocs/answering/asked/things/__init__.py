"""What a sentence can hold that is asked for."""
