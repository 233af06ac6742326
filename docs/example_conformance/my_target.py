"""An implementation of a few integer operations that wants to know whether it is right: an example for those who write a
target of the conformance suite (README.md). With the argument `saturate` its sums have a defect to be found: they stop at
the ends of the type instead of going round.
"""
import operator
import re
import struct
import sys

from assay_process import Refusal, serve  # comes with Assay; protocol: docs/process_backend.md

FORMATS = {'s8': 'b', 's16': 'h', 's32': 'i', 's64': 'q', 'u8': 'B', 'u16': 'H', 'u32': 'I', 'u64': 'Q'}
OPERATIONS = {'add': operator.add, 'subtract': operator.sub, 'multiply': operator.mul, 'and': operator.and_,
              'or': operator.or_, 'xor': operator.xor, 'not': operator.invert, 'negate': operator.neg}
LINE = re.compile(r'(ROOT )?%(\S+) = (\w+)\[([\d,]*)\]\S* ([\w-]+)\((.*?)\)')


def fit(value, element_type, saturate):
    bits, low = int(element_type[1:]), -(1 << int(element_type[1:]) - 1) if element_type[0] == 's' else 0
    if saturate:
        return min(max(value, low), low + (1 << bits) - 1)
    return (value - low) % (1 << bits) + low


class MyTarget:
    def hello(self):
        return {'name': 'mine', 'version': '1', 'formats': ['hlo-text'], 'types': list(FORMATS),
                'operations': ['parameter', *OPERATIONS]}

    def compile(self, module_format, module):
        text = module.decode()
        body = [line for line in text[text.index('ENTRY'):].splitlines()[1:] if ' = ' in line]
        instructions = [LINE.match(line.strip()) for line in body]
        if None in instructions:
            raise Refusal('unsupported', 'results that are no arrays')
        return instructions

    def execute(self, instructions, arguments):
        values = {}
        for match in instructions:
            root, name, element_type, sizes, opcode, operands = match.groups()
            if opcode == 'parameter':
                shape, data = arguments[0][int(operands)]
                values[name] = struct.unpack(f'<{len(data) * 8 // int(element_type[1:])}{FORMATS[element_type]}', data)
            else:
                saturate = opcode == 'add' and 'saturate' in sys.argv
                columns = zip(*(values[operand.strip().lstrip('%')] for operand in operands.split(',')))
                values[name] = [fit(OPERATIONS[opcode](*column), element_type, saturate) for column in columns]
            if root:
                result = values[name], f'{element_type}[{sizes}]'
        elements, shape = result
        data = struct.pack(f'<{len(elements)}{FORMATS[shape.split("[")[0]]}', *elements)
        return 0.0, [[(shape, data)]]


serve(MyTarget())
