"""Arrays in, results out: every number of the house is made here, and every "cannot be known".

One score
- `intervals`: Wilson, Clopper-Pearson, the *new items* interval, the *repeat it* interval
- `means`, `inputs`, `laws`: what the others share (clustered t, checks of arrays, distributions)
- `bootstrap`: resampled means, over items, runs or both, the same resample for all configurations
- `repeats`, `runs`: data noise and run noise; are repeats exchangeable, copies, odd ones
- `passk`: pass@k and pass^k

Two and more
- `paired`, `multiple`: change of a score on the same items, exact McNemar, sign flips; Holm, Benjamini-Hochberg
- `compare`: models on the same items: difference, equivalence, what would tell, groups
- `evidence`, `limits`, `spread_limits`: is a number shown to lie above or below a limit
- `places`: ranges of ranks from sure differences; `changes`: change points of a series, over all splits
- `ranks`: the order of models over configurations; `suites`: several benchmarks together
- `variances`: which level is noisier, reliability of configuration means
- `power`: how many runs and items, both ways
- `sameness`: was a parameter followed (exact permutation tests), noise of passes over the same items
- `divergence`: Kullback-Leibler, Jensen-Shannon, entropy of next-token distributions, bounds where only the top is seen
- `draws`: variances of a score over few-shot draws, compared

Why it moved
- `shapley`, `shapley_sampled`: a gap divided among fields, exactly or from pairs of orders
- `ddmin`: delta debugging; `kmeans`: exact clusters in one dimension; `packed`: arrays as text

Many configurations
- `spread`, `curves`: how far they lie apart once noise is off; score against an ordered parameter
- `anova`, `shares`, `decision`: variance divided among factors, items and runs; what other numbers would give

Scores are fractions of 1, never points. NumPy only; SciPy is imported when a distribution is asked for.
"""
