"""Throwaway handlers for the tests of the local runtime."""
