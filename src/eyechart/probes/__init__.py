"""Probes: flows that ask a model what its answers hang on, and the values they find."""
