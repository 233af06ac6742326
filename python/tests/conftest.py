"""Modules that several tests use."""

from __future__ import annotations

import os
import pathlib

import pytest

import assay

SOURCE = pathlib.Path(os.environ.get('ASSAY_SOURCE_DIR', pathlib.Path(__file__).parents[2]))
SAMPLES = SOURCE / 'conformance' / 'samples'

ADD_TANH = """
HloModule sample
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  sum = f32[4] add(x, y)
  ROOT result = f32[4] tanh(sum)
}
"""


@pytest.fixture
def add_tanh() -> assay.Module:
    return assay.load(ADD_TANH)


@pytest.fixture
def samples() -> pathlib.Path:
    return SAMPLES
