"""Numbers on their way out: values of other people's formats, made of what a run is known to be; pure.

A field that is not known is not written, and a number never leaves without its fingerprint.
"""
