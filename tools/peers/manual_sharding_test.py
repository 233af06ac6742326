#!/usr/bin/env python3
"""Tests manual_sharding.py on a module that is written here, byte by byte."""
import unittest

from manual_sharding import MANUAL, field, fields, manual, varint

F32 = b'\x10\x0b'    # ShapeProto { element_type: F32 }
TUPLE = b'\x10\x0d'  # ShapeProto { element_type: TUPLE }


def instruction(name, shape, *more):
    return field(1, name) + field(3, shape) + b''.join(more)


def shardings(module):
    """{instruction: [sharding]}"""
    found = {}
    for number, _, computation, _ in fields(module):
        for inner, _, value, _ in fields(computation) if number == 3 else ():
            if inner == 2:
                parts = list(fields(value))
                name = next(part for at, _, part, _ in parts if at == 1)
                found[name] = [part for at, _, part, _ in parts if at == 40]
    return found


class ManualSharding(unittest.TestCase):
    def test_varints(self):
        self.assertEqual(varint(5), b'\x05')
        self.assertEqual(varint(300), b'\xac\x02')
        self.assertEqual(list(fields(b'\x08\xac\x02')), [(1, 0, 300, b'\x08\xac\x02')])

    def test_every_instruction_gets_one_sharding(self):
        pair = TUPLE + field(4, F32) + field(4, TUPLE + field(4, F32) + field(4, F32))
        computation = (field(1, b'e') + field(2, instruction(b'array', F32, b'\x09' + bytes(8), b'\x0d' + bytes(4)))
                       + field(2, instruction(b'pair', pair)) + field(2, instruction(b'empty', TUPLE))
                       + field(2, instruction(b'had', F32, field(40, b'\x08\x01'))) + b'\x28\x07')
        module = field(1, b'm') + field(3, computation) + b'\x28\x80\x01'
        three = b'\x08\x02' + field(5, MANUAL) * 3
        self.assertEqual(shardings(manual(module)), {b'array': [MANUAL], b'pair': [three],
                                                     b'empty': [b'\x08\x02' + field(5, MANUAL)], b'had': [MANUAL]})

    def test_what_is_no_instruction_is_kept(self):
        module = field(1, b'm') + b'\x28\x80\x01' + field(7, b'\x00\xff')
        self.assertEqual(manual(module), module)


if __name__ == '__main__':
    unittest.main()
