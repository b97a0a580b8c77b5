"""Symptoms and runs in, ranked causes out: one small rule a cause."""
