"""Python functions → what an Android app with the same functions has."""
