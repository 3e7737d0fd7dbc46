"""Differential privacy from first principles: the algorithms of the book, one module per subject.

In the order of the book:

mechanisms
    Noise for one answer and for one choice: Laplace, Gaussian, their integer versions, exponential mechanism,
    noisy maxima, randomised response.
accounting
    What several answers cost together: composition from basic to optimal, groups, privacy-loss distributions.
histograms
    Counting cells, known in advance or not.
mean
    The mean of a Gaussian: with a known range, with none, with an interval around it; how far off each estimate is.
sample_size
    How many records are enough.
lower_bounds
    What no private estimator can do: packings, two distributions, tracing.
audit
    Trying to break a guarantee, exactly or by experiment.

Whatever is outside its domain raises ValueError, which names the argument and echoes the value; an ``rng`` that is no
numpy.random.Generator raises TypeError. Both happen before any noise is drawn.
"""

__version__ = "0.1.0"
