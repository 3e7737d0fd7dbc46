"""Numbers of the run for the text of the page."""

from IPython.display import display

# what myst-nb looks for; a notebook shows nothing for it
PREFIX = "application/papermill.record/"


def glue(name, value):
    """Keep `value` under `name`, for the text to quote as {glue:text}`name:.3f`.

    The same record as myst-nb's own function makes, without Sphinx, which a live notebook does not
    have.
    """
    number = value.item() if hasattr(value, "item") else value
    display(
        {f"{PREFIX}text/plain": repr(number)},
        raw=True,
        metadata={"scrapbook": {"name": name, "mime_prefix": PREFIX}},
    )
