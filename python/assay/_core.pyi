"""The C++ library of Assay: what the package is made of. Users import assay."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

version: str

ArraysByDevice = list[list[Array]]
# (show, arguments by device) -> results by device, where show(FORMAT) gives the module.
TargetFunction = Callable[[Callable[[str], bytes], ArraysByDevice], ArraysByDevice]
# By target: (target, configuration, type and sizes of each result, operands) -> results.
CustomCallFunctions = dict[
    str, Callable[[str, bytes, list[tuple[str, list[int]]], list[Array]], list[Array]]
]

class Array:
    @staticmethod
    def of(type: str, sizes: Sequence[int], elements: Any) -> Array: ...
    @staticmethod
    def of_dlpack(value: Any) -> Array: ...
    @property
    def type(self) -> str: ...
    @property
    def sizes(self) -> tuple[int, ...]: ...
    def elements(self) -> np.ndarray[Any, Any]: ...

class Budget:
    bytes: int
    elements: int
    steps: int
    depth: int
    seconds: float
    threads: int

class ReadingOptions:
    entry: str
    dimensions: dict[str, int]
    expand_chlo: bool
    replicas: int
    partitions: int

class Module:
    @staticmethod
    def parse(
        content: bytes, name: str, options: ReadingOptions, sizes: Sequence[Sequence[int]]
    ) -> Module: ...
    @staticmethod
    def open(path: str, options: ReadingOptions, sizes: Sequence[Sequence[int]]) -> Module: ...
    def signature(self) -> str: ...
    def verify(self, strict: bool, max_findings: int) -> str: ...
    def stats(self) -> str: ...
    def show(self, format: str) -> bytes: ...
    def random_arguments(self, seed: int, max_bytes: int) -> ArraysByDevice: ...
    def arguments(self) -> ArraysByDevice: ...
    def run(
        self,
        arguments: ArraysByDevice,
        backend: str | TargetFunction,
        budget: Budget,
        seed: int,
        straight: bool,
        custom_calls: CustomCallFunctions,
    ) -> tuple[ArraysByDevice, str]: ...

Excerpt = tuple[str, Module, ArraysByDevice, ArraysByDevice]

class VerdictPage:
    def html(self) -> str: ...

def operations(name: str) -> str: ...
def nearest_operation(name: str) -> str: ...
def nearest_type(name: str) -> str: ...
def diff(
    module: Module,
    arguments: ArraysByDevice,
    right: str | TargetFunction,
    profile: str,
    budget: Budget,
    subgraphs: int,
    iterations: int,
    custom_calls: CustomCallFunctions,
) -> tuple[str, Excerpt | None, VerdictPage]: ...
def judge(
    module: Module,
    arguments: ArraysByDevice,
    actual: ArraysByDevice,
    profile: str,
    budget: Budget,
    custom_calls: CustomCallFunctions,
) -> tuple[str, str, ArraysByDevice]: ...
def reduce(
    module: Module,
    arguments: ArraysByDevice,
    target: str | TargetFunction,
    profile: str,
    budget: Budget,
    questions: int,
    seconds: float,
) -> tuple[Module, ArraysByDevice, ArraysByDevice, ArraysByDevice, str, int] | None: ...
def compare(
    module: Module, left: ArraysByDevice, right: ArraysByDevice, max_ulp: int
) -> str: ...
def triage(
    paths: Sequence[str],
    target: str | TargetFunction | None,
    profile: str,
    seed: int,
    budget: Budget,
    subgraphs: int,
    iterations: int,
) -> str: ...
def profiles() -> str: ...
def default_profile(target: str) -> str: ...

class SuiteQuestion:
    target: str | TargetFunction
    profile: str
    tier: str
    globs: list[str]
    ops: list[str]
    timeout: float
    jobs: int
    repeat: int

class SuiteRun:
    @property
    def fails(self) -> bool: ...
    @property
    def sentence(self) -> str: ...
    def summary(self) -> str: ...
    def json(self) -> str: ...
    def html(self) -> str: ...

def suite(question: SuiteQuestion) -> SuiteRun: ...
def end_all_work() -> None: ...
