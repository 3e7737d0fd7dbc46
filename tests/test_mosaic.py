"""The mosaic: a tile for each mistake, with its name, which leads to the check that caught it."""

import re

import pytest

from dplib.book import mosaic
from dplib.book.checks import anchor
from tests.test_checks import record

CHECKS = [record(caught=("half the noise", "one tail & no more")), record(label="cor-mean"),
          record("tracing", "thm-tracing", ("no noise",))]
PAGES = [(f"On {chapter}", own) for chapter, own in mosaic.groups(CHECKS)]


def called(label):
    return f"Theorem ({label})"


def problems(html, checks):
    """What is wrong with a mosaic: mistakes without a tile that leads to their check, and tiles of no mistake."""
    shown = re.findall(r'<a class="dp-tile[^"]*" href="#([^"]+)" aria-label="([^"]*)">', html)
    wanted = [(anchor(r), f"{m.replace('&', '&amp;')}: caught by the check of {called(r['label'])}") for r in checks for m in r["caught"]]
    return sorted(set(shown) ^ set(wanted)) + [len(shown)] * (len(shown) != len(wanted))


def test_every_mistake_has_a_tile_that_says_it_and_leads_to_its_check():
    assert not problems(mosaic.whole(PAGES, called), CHECKS)


@pytest.mark.parametrize("spoil", [
    lambda html: re.sub(r"<li>.*?</li>", "", html, count=1),
    lambda html: html.replace("#claim-test-it-cor-mean", "#claim-test-it-thm-packing"),
    lambda html: html.replace("no noise", "noise"), lambda html: re.sub(r"(<li>.*?</li>)", r"\1\1", html, count=1)])
def test_a_tile_that_is_missing_twice_there_misnamed_or_misled_is_found(spoil):
    assert problems(spoil(mosaic.whole(PAGES, called)), CHECKS)


def test_checks_that_follow_one_another_have_two_shades():
    assert [mosaic.shades(own) for _, own in PAGES] == [[0, 0, 1], [0]]


def test_the_small_picture_has_a_square_for_each_mistake_and_says_how_many():
    svg = mosaic.picture(mosaic.groups(CHECKS))
    assert svg.count("h8v8h-8z") == 4 and "4 tiles" in svg
    assert mosaic.picture(mosaic.groups(CHECKS[1:])).count("h8v8h-8z") == 2
