"""What is deployed: stacks, functions, routes and the state machine."""
