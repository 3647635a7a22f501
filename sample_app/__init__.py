"""A notes app: the sample that every feature is tried on.

`notes` and `labels` hold the functions that agents call, `sharing` what users put into a
conversation, `models` what all of them return, `storage` the SQLite database behind them. The
metadata stands in `metadata/app_metadata.xml`.
"""
