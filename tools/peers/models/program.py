"""HLO text, as far as the corpus uses it: instructions with their operands and attributes, and the values they give.

Every device of a case runs instruction by instruction beside the others, so that a collective sees the operands of all.
"""
import re
from dataclasses import dataclass, field

import corpus_reader

from . import formats
from .scalars import Unsupported

CLOSING = {'(': ')', '{': '}', '[': ']'}
HEAD = re.compile(r'\s*(ENTRY\s+)?%?([\w.-]+)\s*(?:\([^{}]*\)\s*->\s*[^{}]*)?{')
NAME = re.compile(r'\s*(ROOT\s+)?%?([\w.-]+)\s*=\s*')
OPCODE = re.compile(r'([a-z][\w-]*)\(')
ATTRIBUTE = re.compile(r'\s*,\s*([\w]+)=')
IOTA_GROUPS = re.compile(r'\[[\d,]+\]<=\[[\d,]+\](T\([\d,]+\))?')
ARRAY_TYPE = re.compile(r'(\w+)\[([\d,<=]*)\]')


class Array:
    """Elements are patterns, of complex types pairs, in row-major order."""
    def __init__(self, element, shape, data):
        self.type, self.shape, self.data = element, tuple(shape), list(data)
        self.t = formats.element_type(element)


TOKEN = 'token'


@dataclass
class Instruction:
    name: str
    root: bool
    shape: str
    op: str
    operands: list
    text: str  # between the parentheses
    attributes: dict = field(default_factory=dict)

    def numbers(self, attribute):
        return [int(n) for n in re.findall(r'-?\d+', self.attributes.get(attribute, ''))]


@dataclass
class Computation:
    name: str
    instructions: list

    @property
    def root(self):
        return next((each for each in self.instructions if each.root), self.instructions[-1])

    @property
    def parameters(self):
        found = [each for each in self.instructions if each.op == 'parameter']
        return sorted(found, key=lambda each: int(each.text))


def balanced(text, at):
    """The end of the bracket that opens at `at`."""
    stack = []
    for i in range(at, len(text)):
        if text[i] in CLOSING:
            stack.append(CLOSING[text[i]])
        elif stack and text[i] == stack[-1]:
            stack.pop()
            if not stack:
                return i + 1
    raise ValueError('a bracket stays open: ' + text[at:at + 40])


def split(text):
    """At the commas outside of brackets."""
    parts, start, depth = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in '({[') - (c in ')}]')
        if c == ',' and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


def read_value(text, at):
    """The value of an attribute and its end."""
    if text[at] in '{(':
        end = balanced(text, at)
    elif groups := IOTA_GROUPS.match(text, at):
        end = groups.end()
    elif text[at] == '"':
        end = text.index('"', at + 1) + 1
    else:
        end = re.compile(r'[^\s,{}]*').match(text, at).end()
    return text[at:end], end


def read_instructions(text):
    instructions, at = [], 0
    while match := NAME.match(text, at):
        root, name, at = bool(match.group(1)), match.group(2), match.end()
        start = at
        if text[at] == '(':
            at = balanced(text, at)
        elif shape := ARRAY_TYPE.match(text, at):
            at = shape.end()
            if text[at] == '{':
                at = balanced(text, at)
        shape_text = text[start:at].strip()
        opcode = OPCODE.match(text, at + len(text[at:]) - len(text[at:].lstrip()))
        at = balanced(text, opcode.end() - 1)
        inner = text[opcode.end():at - 1]
        attributes = {}
        while match := ATTRIBUTE.match(text, at):
            attributes[match.group(1)], at = read_value(text, match.end())
        operands = [] if opcode.group(1) in ('parameter', 'constant') else [part.split()[-1].lstrip('%') for part in split(inner)]
        instructions.append(Instruction(name, root, shape_text, opcode.group(1), operands, inner.strip(), attributes))
    if text[at:].strip():
        raise Unsupported('text ' + text[at:at + 40].strip())
    return instructions


def read_module(text):
    """Computations by name, and the entry's name."""
    text, computations, entry, at = re.sub(r'/\*.*?\*/', '', re.sub(r'\s*HloModule[^\n]*\n', '', text)), {}, None, 0
    while match := HEAD.match(text, at):
        end = balanced(text, match.end() - 1)
        computations[match.group(2)] = Computation(match.group(2), read_instructions(text[match.end():end - 1]))
        entry = match.group(2) if match.group(1) else entry
        at = end
    if entry is None or text[at:].strip():
        raise Unsupported('module text')
    return computations, entry


def array_shape(text):
    """Element type and sizes of a written shape; bounds count as sizes."""
    element, sizes = ARRAY_TYPE.match(text).groups()
    return element, tuple(int(n.lstrip('<=')) for n in sizes.split(',') if n)


def literal(element, shape, text):
    array = corpus_reader.read_array(f"literal {element}[{','.join(map(str, shape))}] {text}")
    return from_reader(element, array)


def from_reader(element, array):
    if element in formats.COMPLEX:
        return Array(element, array.shape[:-1], [(int(a), int(b)) for a, b in array.reshape(-1, 2)])
    return Array(element, array.shape, array.reshape(-1).tolist())


def leaves(value):
    """The arrays of a value."""
    if isinstance(value, list):
        return [leaf for part in value for leaf in leaves(part)]
    return [] if value is TOKEN else [value]


def take(shape, arrays):
    """A parameter of a written shape, of the next arrays."""
    shape = shape.strip()
    if shape.startswith('('):
        return [take(part, arrays) for part in split(shape[1:balanced(shape, 0) - 1])]
    return TOKEN if shape.startswith('token') else next(arrays)


class Machine:
    """Runs a module on its devices."""
    def __init__(self, module, operations, collectives, replicas=1, partitions=1):
        self.computations, self.entry = read_module(module)
        self.operations, self.collectives = operations, collectives
        self.replicas, self.partitions = replicas, partitions
        self.channels = {}  # what send has put there, by channel and device
        self.device = 0  # whose operation it is
        self.infeeds, self.outfeeds = [], []  # by device: what is still to come, what has been given

    def run(self, inputs, infeeds):
        """The results and the outfeeds of all devices, from the lists of their arguments' arrays and of their queues'."""
        self.infeeds, self.outfeeds = [iter(queue) for queue in infeeds], [[] for _ in infeeds]
        iterators = [iter(arrays) for arrays in inputs]
        entry = self.computations[self.entry]
        arguments = [[take(each.shape, iterator) for each in entry.parameters] for iterator in iterators]
        return self.evaluate(entry, arguments), self.outfeeds

    def evaluate(self, computation, arguments):
        """The roots of a computation, on as many devices as there are lists of arguments."""
        values = [{} for _ in arguments]
        for instruction in computation.instructions:
            operands = [[scope[name] for name in instruction.operands] for scope in values]
            results = self.step(instruction, operands, arguments)
            for scope, result in zip(values, results):
                scope[instruction.name] = result
        return [scope[computation.root.name] for scope in values]

    def step(self, instruction, operands, arguments):
        if instruction.op == 'parameter':
            return [each[int(instruction.text)] for each in arguments]
        if instruction.op in self.collectives:
            return self.collectives[instruction.op](self, instruction, operands)
        if instruction.op not in self.operations:
            raise Unsupported(instruction.op)
        results = []
        for device, each in enumerate(operands):
            if len(operands) > 1:  # what a device calls runs for it alone
                self.device = device
            results.append(self.operations[instruction.op](self, instruction, each))
        return results

    def call(self, name, arguments):
        """A computation on one device."""
        return self.evaluate(self.computations[name.lstrip('%')], [arguments])[0]
