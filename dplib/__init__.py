"""Differential privacy from first principles: the algorithms of the book, one module per subject,
in its order.

* ``mechanisms``: noise for one answer and for one choice.
* ``accounting``: what several answers cost together.
* ``sparse_vector``: many questions, few alarms.
* ``histograms``: counting cells, known in advance or not.
* ``mean``: the mean of a Gaussian, with a known range or none, with an interval around it.
* ``sample_size``: how many records are enough.
* ``lower_bounds``: what no private estimator can do.
* ``learning``: a rule from labelled examples.
* ``local``: one message a person, with its noise in it.
* ``queries``: averages, each a little wrong, and what can be learned from them.
* ``parity``: a rule that a curator learns from few people, and nobody else from few.
* ``factorization``: many questions from one message, or from one noisy vector.
* ``synthetic``: an invented population that answers as the real one does, nearly.
* ``aggregation``: any estimator, made private from outside.
* ``friendly``: aggregates of records that are near each other, wherever that is.
* ``glm``: one number from a model, or all of them.
* ``tables``: answers about a table of people, whatever engine holds it.
* ``audit``: trying to break a guarantee, exactly or by experiment.

Whatever is outside its domain raises ValueError, which names the argument and echoes the value; an
``rng`` that is no numpy.random.Generator raises TypeError. Both happen before any noise is drawn.
"""

__version__ = "0.1.0"
