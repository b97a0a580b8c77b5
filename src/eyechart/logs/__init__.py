"""Logs of other harnesses, read as they are: what was asked, answered and scored, and what they do not say.

One file a harness; `find` knows which file is whose. A reader gives `Foreign` values: settings with who said
them, a stream of rows, claimed scores, findings. It fills in no default: what a log does not say is unknown.
"""
