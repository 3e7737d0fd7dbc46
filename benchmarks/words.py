"""Shares of 64 words from one message a person, in the local model: error and CPU seconds, beside those of pure-ldp.

    .venv-bench/bin/python benchmarks/words.py            (part of make bench)

Error is the root mean square over all words and runs. By the formulas it is, times √n and for a rare word, 4.68 for one word, 1.92 for a
bit for each word, and 2.16 for one bit. Theirs sends the message of one person at a time, ours those of all people together.
"""

import time

import numpy as np
from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

from dplib.local import sign_reports, sign_shares, unary_reports, unary_shares
from dplib.mechanisms import randomized_response

PEOPLE, WORDS, RUNS, EPSILON = 20_000, 64, 5, 1.0
E = np.exp(EPSILON)


def one_word(typed, rng):
    named = np.bincount(randomized_response(typed, categories=WORDS, epsilon=EPSILON, rng=rng), minlength=WORDS) / typed.size
    return (named * (E + WORDS - 1) - 1) / (E - 1)


def a_bit_for_each(typed, rng):
    return unary_shares(unary_reports(typed, cells=WORDS, epsilon=EPSILON, rng=rng), epsilon=EPSILON)


def one_bit(typed, rng):
    return sign_shares(*sign_reports(typed, bits=6, epsilon=EPSILON, rng=rng), candidates=range(WORDS), epsilon=EPSILON)


def theirs(make):
    """The protocol of a pair of a server and a client of pure-ldp, whose words begin with 1."""
    def shares(typed, rng):
        server, client = make()
        for word in typed.tolist():
            server.aggregate(client.privatise(word + 1))
        return np.array([server.estimate(word + 1, suppress_warnings=True) for word in range(WORDS)]) / typed.size
    return shares


def hadamard():
    server = HadamardResponseServer(EPSILON, WORDS)
    return server, HadamardResponseClient(EPSILON, WORDS, server.get_hash_funcs())


PROTOCOLS = {
    "one word": one_word, "a bit for each word": a_bit_for_each, "one bit": one_bit,
    "pure-ldp, direct encoding": theirs(lambda: (DEServer(EPSILON, WORDS), DEClient(EPSILON, WORDS))),
    "pure-ldp, unary encoding": theirs(lambda: (UEServer(EPSILON, WORDS, use_oue=True), UEClient(EPSILON, WORDS, use_oue=True))),
    "pure-ldp, Hadamard response": theirs(hadamard)}


def main():
    rng = np.random.default_rng(0)
    chances = 1 / np.arange(1, WORDS + 1)
    print(f"{PEOPLE:,d} people, {WORDS} words, ε = {EPSILON:g}, {RUNS} runs")
    for name, protocol in PROTOCOLS.items():
        squares, start = [], time.process_time()
        for _ in range(RUNS):
            typed = rng.choice(WORDS, p=chances / chances.sum(), size=PEOPLE)
            squares.append((protocol(typed, rng) - np.bincount(typed, minlength=WORDS) / PEOPLE) ** 2)
        error, seconds = np.sqrt(np.mean(squares)), (time.process_time() - start) / RUNS
        print(f"  {name:<28} error {error:.4f}, √n times that {np.sqrt(PEOPLE) * error:5.2f}; {seconds:8.4f} s a run")


if __name__ == "__main__":
    main()
