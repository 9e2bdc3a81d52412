"""From an upload to a published version: one verb a file, in the order of the machine."""
