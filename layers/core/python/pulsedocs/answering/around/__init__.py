"""Where sentences of a page stand: under headings, in lists, beside each other."""
