"""Calls to the providers of models, whichever they are: bounded in time and size, tried twice."""
