"""The parts of the tree whose source is mutated, and what each file of a part is asked."""
import collections
import pathlib
import re

STARTED = 'ctest:'  # what a test that CTest starts is called among the questions
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NO_PRODUCT = re.compile(r'(_test|_bench)\.cc$|testing\.|^performance_|^machine_peaks|randomised_target|^admitted_values|^random_boxes|'
                        r'^differential|^small_worlds|^wide_')  # tests, their models, benchmarks, measurements

# Files that serve other operations than that of their name.
OPERATIONS = {
    'batch_norm': ['batch-norm-training', 'batch-norm-inference', 'batch-norm-grad'],
    'batch_norm_feature': ['batch-norm-training', 'batch-norm-inference', 'batch-norm-grad'],
    'bit_patterns': ['bitcast-convert', 'bitcast'],
    'block_scale': ['scaled-dot'],
    'cell_fold': ['scatter', 'select-and-scatter'],
    'cell_sums': ['scatter', 'select-and-scatter'],
    'cell_updates': ['scatter', 'select-and-scatter'],
    'cholesky_factor': ['cholesky'],
    'cholesky_wide': ['cholesky'],
    'collectives': ['all-reduce', 'all-gather', 'all-to-all', 'reduce-scatter', 'collective-permute', 'ragged-all-to-all'],
    'column_sums': ['reduce'],
    'contracted_sum': ['dot', 'convolution', 'ragged-dot', 'scaled-dot'],
    'contraction': ['dot', 'convolution', 'ragged-dot', 'scaled-dot'],
    'convert_loops': ['convert'],
    'converted_operands': ['dot', 'convolution', 'reduce'],
    'copy_pieces': ['copy', 'transpose', 'concatenate', 'pad'],
    'dd_fourier': ['fft'],
    'definition': ['pad', 'reduce', 'gather', 'dot', 'slice'],
    'element_loops': ['add', 'select', 'clamp', 'convert', 'compare'],
    'elementwise': ['add', 'select', 'clamp', 'convert', 'compare'],
    'exact_cholesky': ['cholesky'],
    'exact_fourier': ['fft'],
    'exact_solve': ['triangular-solve'],
    'fold': ['reduce', 'reduce-window', 'scatter', 'scan', 'select-and-scatter'],
    'indexing': ['gather', 'dynamic-slice', 'dynamic-update-slice'],
    'indices': ['gather', 'scatter', 'dynamic-slice', 'dynamic-update-slice'],
    'lane_fold': ['reduce', 'reduce-window', 'scan'],
    'merge_sort': ['sort', 'topk'],
    'moves': ['broadcast', 'reshape', 'transpose', 'slice', 'pad', 'concatenate', 'reverse', 'iota'],
    'native_loops': ['add', 'multiply', 'compare', 'select'],
    'odometer': ['slice', 'transpose', 'gather', 'reduce-window'],
    'product_sum': ['dot', 'convolution', 'ragged-dot'],
    'ragged_groups': ['ragged-dot', 'ragged-all-to-all'],
    'ragged_transfers': ['ragged-all-to-all'],
    'random_bits': ['rng-bit-generator'],
    'random_blocks': ['rng-bit-generator'],
    'recognised_fold': ['reduce', 'reduce-window', 'scatter', 'scan', 'select-and-scatter'],
    'region_fold': ['reduce', 'reduce-window', 'scatter', 'scan', 'select-and-scatter'],
    'running_sums': ['reduce-window', 'scan'],
    'scan_plan': ['scan'],
    'scatter_plan': ['scatter'],
    'scatter_windows': ['scatter'],
    'sort_items': ['sort', 'topk'],
    'sort_key': ['sort', 'topk'],
    'sort_numbers': ['sort', 'topk'],
    'special_elements': ['cholesky', 'triangular-solve', 'fft'],
    'start_indices': ['gather', 'scatter', 'dynamic-slice', 'dynamic-update-slice'],
    'strided_copy': ['transpose', 'slice', 'copy', 'broadcast'],
    'tile_product': ['dot', 'convolution'],
    'view_reader': ['transpose', 'slice', 'reduce', 'dot'],
    'window_taps': ['reduce-window', 'convolution', 'select-and-scatter'],
    'windows': ['reduce-window', 'convolution', 'select-and-scatter'],
}

# Tests of single files that stand in other folders; `ctest:` those that CTest starts with `assay`. An engine with a memory of its own, whose runs are replayed, is CUDA's alone.
MORE_TESTS = {f'evaluator/ops/{stem}': ['assay_evaluator_kernels_tests'] for stem in ('collectives', 'exact_fourier', 'ragged_transfers')} | {
    f'runtime/{stem}': ['assay_backends_cuda_tests']
    for stem in ('machine', 'machine_control', 'machine_direct', 'machine_frames', 'machine_record', 'plan', 'plan_places', 'replay')} | {
    'interpreter/custom_calls/exact_linear_algebra': ['assay_custom_call_test'],
    'interpreter/shared_library': ['ctest:custom_call_cli_test']}

# `folder`: what is mutated. `cases`: how the corpus is asked, by the definitions (`straight`), by `kernels` or on the backend `cpu`; `operations`: the cases of
# the file's operations first. `tests`: folders whose tests are asked; `slow`: tests that are asked at last.
Area = collections.namedtuple('Area', 'name folder cases operations tests slow')
AREAS = {area.name: area for area in (
    Area('definitions', 'evaluator/ops', ('straight', 'kernels'), True, (), ('assay_evaluator_ops_tests', 'assay_small_worlds_test')),
    Area('kernels', 'evaluator/kernels', ('kernels',), True, ('evaluator/kernels',), ()),
    Area('analysis', 'spec/analysis', ('kernels',), True, ('spec/analysis', 'evaluator/kernels', 'interpreter'), ()),
    Area('runtime', 'runtime', ('kernels',), False, ('runtime', 'interpreter'), ()),
    Area('interpreter', 'interpreter', ('kernels',), False, ('interpreter',), ()),
    Area('passes', 'backends/passes', ('cpu',), False, ('conformance/passes',), ()),
    Area('judge', 'conformance/judge', (), False, ('conformance/judge',),
         ('assay_runner_test', 'assay_enclosure_test', 'assay_enclosure_widths_test',
          'assay_score_test', 'assay_profile_edges_test')),
    Area('enclosure', 'conformance/enclosure', (), False, ('conformance/enclosure',), ('assay_runner_test', 'assay_score_test')),
)}


def area_of(path):
    """The area that a file of the tree belongs to."""
    return next(area for area in AREAS.values() if path.startswith(area.folder + '/'))


def files_of(area):
    """The paths in the tree of the source files that an area's mutants change."""
    folder = ROOT / area.folder
    return sorted(p.relative_to(ROOT).as_posix() for p in folder.rglob('*')
                  if p.suffix in ('.cc', '.h') and not NO_PRODUCT.search(p.name) and 'testing' not in p.relative_to(folder).parts)


def program_of(question):
    """The program of the build that answers a test."""
    return 'assay_bin_assay' if question.startswith(STARTED) else question


def read(path):
    return (ROOT / path).read_text(encoding='utf-8')


def tests_in(folder, targets):
    """The tests of a folder, by name, from the targets that ninja lists."""
    return sorted(re.findall(rf'^{folder}/(assay_\w+_tests?): CXX_EXECUTABLE', targets, re.M))


def questions(path, targets):
    """What a file's mutants are asked, in this order: a program and, of the corpus, which cases and by which way."""
    area = area_of(path)
    stem = pathlib.Path(path).name.split('.')[0]
    found = []
    operations = OPERATIONS.get(stem, [stem.replace('_', '-')]) if area.operations else []
    for way in area.cases:
        found += [f'assay_bin_assay {op}.quick {way}' for op in operations] + [f'assay_bin_assay {op}.full {way}' for op in operations]
        if way == area.cases[0]:
            found += [f'assay_bin_assay all.quick {way}']
            if not area.operations:
                found += [f'assay_bin_assay program.full {way}']
    tests = MORE_TESTS.get(str(pathlib.Path(path).with_suffix('')), [])
    tests = [*tests, *(test for folder in area.tests for test in tests_in(folder, targets))]
    return found + [test for test in tests if test not in area.slow] + list(area.slow)
