"""Arrays in, results out: every number of the house is made here, and every "cannot be known".

- `intervals`: Wilson, Clopper-Pearson, the *new items* interval, the *repeat it* interval
- `paired`: change of a score on the same items, exact McNemar, sign flips
- `multiple`: Holm, Benjamini-Hochberg
- `spread`: how far configurations lie apart once their noise is taken off
- `curves`: score against an ordered parameter: slope, flatness, jumps
- `bootstrap`: resampled means, the same resample for all configurations
- `means`, `inputs`, `laws`: what the above share (clustered t, checks of arrays, distributions)

Scores are fractions of 1, never points. NumPy only; SciPy is imported when a distribution is asked for.
"""
