"""Addresses of sections that have got another title: they go on leading to the same place.

A label in the text, ``(old)=``, would have to be the only one of its name in the book; an address
has to be the only one of its page. That none is forgotten is tested on the built site, by
tests/site/test_addresses.py.
"""

from docutils import nodes
from sphinx.util import logging

log = logging.getLogger(__name__)

# {page: {old address: the present one}}
RENAMED = {
    "certificates": {
        "a-certificate-that-never-lies": "a-certificate-that-holds-on-every-run",
        "what-is-printed-elsewhere": "a-test-that-may-be-wrong",
        "what-may-be-done-with-it": "what-a-certificate-permits",
    },
    "factorization": {"what-the-lecture-notes-print": "what-is-printed-elsewhere"},
    "friendly-mean": {
        "a-radius-that-nobody-knows": "an-unknown-radius",
        "first-use-then-see": "a-first-use",
        "tuples-what-many-programs-agree-on": "tuples-on-which-many-programs-agree",
        "where-the-floor-lies-and-how-to-share": "choosing-the-floor",
    },
    "local-sensitivity": {"noise-that-follows-slowly": "noise-that-changes-slowly"},
    "m-estimation": {
        "three-ways-not-to-look": "noise-that-looks-at",
        "what-holds-a-fit": "how-far-a-fit-can-move",
        "what-is-printed-elsewhere": "eigenvalues-and-what-a-ridge-adds",
    },
    "packing": {"what-the-lecture-notes-print": "details-of-the-source"},
    "privacy": {
        "a-secret-randomised-response": "a-secret-and-randomised-response",
        "what-does-to-somebody-s-odds": "what-does-to-a-person-s-odds",
    },
    "private-learning": {
        "the-natural-rule-is-somebody-s-value": "the-natural-rule-is-one-person-s-value",
        "who-has-to-pay": "is-the-logarithm-necessary",
    },
    "queries-and-local": {
        "from-averages-to-whispers": "from-averages-to-reports",
        "from-whispers-to-averages": "from-reports-to-averages",
    },
    "subsample-and-aggregate": {
        "a-vote-and-how-many-voters-it-takes": "a-vote-and-how-many-voters-it-needs",
    },
    "two-distributions": {"what-the-lecture-notes-print": "details-of-the-source"},
    "two-stage-mean": {"the-whole": "the-two-stages-together"},
}


def lead_on(app, doctree):
    page = app.env.docname.removeprefix("chapters/")
    sections = {id: section for section in doctree.findall(nodes.section) for id in section["ids"]}
    for old, new in RENAMED.get(page, {}).items():
        if old in doctree.ids or new not in sections:
            log.warning("page %r cannot lead from %r to %r", page, old, new)
            continue
        sections[new]["ids"].append(old)
        doctree.ids[old] = sections[new]


def setup(app):
    # after `further` has given old addresses to what is further
    app.connect("doctree-read", lead_on, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
