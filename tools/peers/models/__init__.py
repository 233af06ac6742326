"""The second reference of the conformance corpus: a small evaluator of HLO text in Python, written from the words of the
specification and without Assay. Numbers are exact rationals, real functions those of MPFR and MPC, at 400 bits and more.
docs/corpus_confirmations.md says which cases it confirms; corpus_peer_test.py holds the golden results to it.
"""
