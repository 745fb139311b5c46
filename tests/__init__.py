"""Tests, one room a kind: CONTRIBUTING.md says which is which."""
