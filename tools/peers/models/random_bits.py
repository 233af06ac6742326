"""rng-bit-generator: Threefry2x32-20 and Philox4x32-10 of Salmon, Moraes, Dror and Shaw (2011), and how their words fill an array
(control, section 10)."""
import numpy as np

from . import formats
from .program import Array, array_shape, split
from .scalars import Unsupported

LOW = 2**32 - 1


def threefry(key, counter):
    x, keys = [counter & LOW, counter >> 32], [key & LOW, key >> 32]
    keys.append(0x1BD11BDA ^ keys[0] ^ keys[1])
    x = [x[0] + keys[0] & LOW, x[1] + keys[1] & LOW]
    for group in range(5):
        for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x[0] = x[0] + x[1] & LOW
            x[1] = (x[1] << turn | x[1] >> 32 - turn) & LOW ^ x[0]
        x = [x[0] + keys[(group + 1) % 3] & LOW, x[1] + keys[(group + 2) % 3] + group + 1 & LOW]
    return x


def philox(key, counter):
    x, k = [counter >> 32 * i & LOW for i in range(4)], [key & LOW, key >> 32]
    for _ in range(10):
        first, second = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [second >> 32 ^ x[1] ^ k[0], second & LOW, first >> 32 ^ x[3] ^ k[1], first & LOW]
        k = [k[0] + 0x9E3779B9 & LOW, k[1] + 0xBB67AE85 & LOW]
    return x


def by_threefry(key, counter, shape, bits):
    """The elements, and the number of blocks."""
    if bits == 64:
        count = int(np.prod(shape, dtype=int))
        return [x[0] | x[1] << 32 for x in (threefry(key, (counter + i) % 2**64) for i in range(count))], count
    if not shape:
        return [threefry(key, counter)[0]], 1
    even = [d for d, n in enumerate(shape) if n % 2 == 0]
    along = even[0] if even else shape.index(max(shape))
    halved = [(n + 1) // 2 if d == along else n for d, n in enumerate(shape)]
    number = np.arange(int(np.prod(halved, dtype=int))).reshape(halved)
    elements = []
    for index in np.ndindex(*shape):
        block = tuple(e // 2 if d == along else e for d, e in enumerate(index))
        elements.append(threefry(key, (counter + int(number[block])) % 2**64)[index[along] % 2])
    return elements, number.size


def by_philox(key, counter, count, bits):
    words = []
    blocks = -(-count * (2 if bits == 64 else 1) // 4)
    for b in range(blocks):
        words += philox(key, (counter + b) % 2**128)
    return [words[2 * i] | words[2 * i + 1] << 32 if bits == 64 else words[i] for i in range(count)], blocks


def rng_bit_generator(machine, instruction, operands):
    state = operands[0].data
    element, shape = array_shape(split(instruction.shape.strip()[1:-1])[1])
    bits, count = formats.element_type(element).bits, int(np.prod(shape, dtype=int))
    if instruction.attributes['algorithm'] == 'rng_three_fry':
        elements, blocks = by_threefry(state[0], state[1], shape, bits)
        after = [state[0], (state[1] + blocks) % 2**64]
    elif instruction.attributes['algorithm'] in ('rng_philox', 'rng_default'):
        counter = state[1] | (state[2] if len(state) == 3 else state[0]) << 64
        elements, blocks = by_philox(state[0], counter, count, bits)
        counter = (counter + blocks) % 2**128
        after = [state[0], counter % 2**64, counter >> 64][:len(state)]
    else:
        raise Unsupported(instruction.attributes['algorithm'])
    return [Array('u64', operands[0].shape, after), Array(element, shape, [x % 2**bits for x in elements])]


def rng(machine, instruction, operands):
    """Only pred in [false, true) has a result that is no draw."""
    if instruction.attributes['distribution'] != 'rng_uniform' or operands[0].type != 'pred':
        raise Unsupported('rng')
    _, shape = array_shape(instruction.shape)
    return Array('pred', shape, [0] * int(np.prod(shape, dtype=int)))


OPERATIONS = {'rng-bit-generator': rng_bit_generator, 'rng': rng}
