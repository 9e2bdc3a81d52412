"""From candidates to a selection, in small pure steps whose inputs and reasons are recorded."""
