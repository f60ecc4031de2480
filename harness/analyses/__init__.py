"""Suites that train nothing: they count what operators and data are like, and print that as tables.

One kind of suite per pair of modules, `<kind>.py` (what is measured) and `<kind>_tables.py` (how it is shown); `suites.py`
has their files' models, `records.py` what is stored, `run.py` the way from a suite to its record and back to its tables.
"""
