"""Documents of an Android app → the source of a Python package that serves its functions."""
