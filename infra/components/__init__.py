"""The parts that the stacks are made of. None grants to another: the stacks do."""
