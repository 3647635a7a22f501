"""Judges what functions say of themselves: their names, descriptions, parameters and results.

Offline and deterministic: the same texts always give the same findings.
"""
