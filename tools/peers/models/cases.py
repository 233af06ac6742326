"""A case of the corpus by the second reference: what its results must be."""
from . import collectives, contractions, control, folds, formats, linear_algebra, moves, random_bits
from .folds import AnyOrder
from .program import Machine, Unsupported, from_reader, leaves

OPERATIONS = {name: function for module in (moves, control, folds, contractions, linear_algebra, random_bits)
              for name, function in module.OPERATIONS.items()}


def arrays_of(case, prefix, device):
    """Those of a device whose names begin so, in order."""
    arrays, number = [], 0
    while True:
        name = f'{prefix}{number}'
        name = f'{name}.dev{device}' if f'{name}.dev{device}' in case['arrays'] else name
        if name not in case['arrays']:
            return arrays
        arrays.append(from_reader(case['types'][name], case['arrays'][name]))
        number += 1


def expected(case):
    """The arrays of the results by name, as a case that was read by corpus_reader has them; raises Unsupported where a model is
    missing and Undecided where a rounding is open."""
    processes = dict(part.split('=') for part in case.get('processes', '').split())
    replicas, partitions = int(processes.get('replicas', 1)), int(processes.get('partitions', 1))
    count = replicas * partitions
    machine = Machine(case['module'], OPERATIONS, collectives.OPERATIONS, replicas, partitions)
    try:
        roots, outfeeds = machine.run([arrays_of(case, 'arg', device) for device in range(count)],
                                      [arrays_of(case, 'infeed', device) for device in range(count)])
    except ZeroDivisionError as error:  # statistics of nothing, an exact zero under a root
        raise Unsupported('a division by zero') from error
    return {f'{prefix}{i}' + (f'.dev{device}' if count > 1 else ''): leaf
            for prefix, values in (('out', roots), ('outfeed', outfeeds))
            for device, value in enumerate(values) for i, leaf in enumerate(leaves(value))}


def agrees(t, model, golden, moves_bits):
    """Whether an element of the golden result is one that the model allows, and whether the model leaves it open."""
    if isinstance(t, formats.Complex):
        parts = [agrees(t.part, m, g, moves_bits) for m, g in zip(model, golden)]
        return all(same for same, _ in parts), any(is_open for _, is_open in parts)
    if model is None:
        return True, True
    if isinstance(model, frozenset):
        return any(agrees(t, each, golden, moves_bits)[0] for each in model), False
    return model == golden or (not moves_bits and t.is_nan(model) and t.is_nan(golden)), False


MOVING = set(moves.OPERATIONS) - {'iota', 'constant', 'get-dimension-size'} | {
    'select', 'real', 'imag', 'complex', 'all-gather', 'all-to-all', 'collective-broadcast', 'collective-permute', 'tuple',
    'get-tuple-element', 'parameter', 'infeed', 'outfeed'}


def check(case, known=()):
    """The first difference as text, or None, and the numbers of elements that were held and that are open; elements of the first
    result that are known to differ count as open."""
    found, held, is_open = expected(case), 0, 0
    names = [name for name in case['arrays'] if name.startswith('out')]
    if sorted(names) != sorted(found):
        return f'results {sorted(found)}, not {sorted(names)}', 0, 0
    moves_bits = case['id'].split('/')[0] in MOVING
    for name in names:
        golden, model = from_reader(case['types'][name], case['arrays'][name]), found[name]
        if (golden.type, golden.shape) != (model.type, model.shape):
            return f'{name} is {golden.type}{list(golden.shape)}, by the model {model.type}{list(model.shape)}', held, is_open
        if any(isinstance(mine, AnyOrder) for mine in model.data) and sorted(golden.data) != sorted(
                each for mine in set(model.data) for each in mine.all):
            return f'{name} is not an order of its elements', held, is_open
        for i, (mine, theirs) in enumerate(zip(model.data, golden.data)):
            same, free = (True, True) if i in known else agrees(golden.t, mine, theirs, moves_bits)
            if not same:
                return f'{name} element {i}: {shown(golden.t, theirs)}, by the model {shown(golden.t, mine)}', held, is_open
            held, is_open = held + (not free), is_open + free
    return None, held, is_open


def shown(t, pattern):
    if isinstance(t, formats.Complex):
        return '(' + ', '.join(shown(t.part, part) for part in pattern) + ')'
    if not isinstance(pattern, int):
        return str(pattern)
    value = t.decode(pattern)
    return f'{pattern:#x} = {float(value) if abs(value) < 2**1000 else value}'
