"""All problem sets, in the order of the book: what every test of the course is run on."""

import ps1
import ps2
import ps3
import ps4
import ps5

PROBLEM_SETS = (ps1, ps2, ps3, ps4, ps5)
