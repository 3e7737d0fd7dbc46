"""The live widget: the front end on a table, and a kernel that answers when it asks for columns."""

import functools
import secrets

from .front import front_end, style


def answer(explorer, message, seed):
    """The kernel's reply to the front end: its message, and one buffer of float64 per column."""
    controls = explorer.controls.items()
    values = {name: (int if c.integer else float)(message["values"][name]) for name, c in controls}
    try:
        columns = explorer.compute(values, message["index"], seed)
    except ValueError as error:
        return dict(id=message["id"], error=str(error)), []
    return dict(id=message["id"], names=list(columns)), [
        column.tobytes() for column in columns.values()
    ]


def widget(explorer):
    """The widget of an explorer. *Fresh randomness* replaces the seed, so that all draws are new; a
    slider keeps it."""
    shown, seed = widget_class()(**explorer.state()), [explorer.seed]

    def reply(_, message, buffers):
        if message["fresh"]:
            seed[0] = secrets.randbits(64)
        shown.send(*answer(explorer, message, seed[0]))

    shown.on_msg(reply)
    return shown


@functools.cache
def widget_class():
    """The anywidget class; made on first use, because a page that is only built does not need
    it."""
    import anywidget
    import traitlets

    class ExplorerWidget(anywidget.AnyWidget):
        _esm, _css = front_end(static=False), style()
        spec, table = traitlets.Unicode().tag(sync=True), traitlets.Unicode().tag(sync=True)

    return ExplorerWidget
