"""PulseDocs: documents in, answers out that cite the page and the exact words."""
