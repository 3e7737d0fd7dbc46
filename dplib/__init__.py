"""Differential privacy from first principles: the algorithms of the book, one module per subject.

In the order of the book:

mechanisms
    Noise for one answer and for one choice: Laplace, Gaussian, their integer versions, exponential mechanism,
    noisy maxima, randomised response.
accounting
    What several answers cost together: composition from basic to optimal, groups, privacy-loss distributions.
histograms
    Counting cells, known in advance or not.
audit
    Trying to break a guarantee, exactly or by experiment.
"""

__version__ = "0.1.0"
