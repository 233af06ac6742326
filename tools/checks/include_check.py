#!/usr/bin/env python3
"""Checks the direction of includes: who may know whom (docs: CONTRIBUTING.md, "Layers").

usage: include_check.py ROOT
"""
import pathlib
import re
import sys

# The interface of backends, and a backend over any engine of the runtime.
INTERFACE = [f'backends/{name}.h' for name in ('backend', 'buffer', 'capabilities', 'device_io', 'executable', 'host_buffer')]
ENGINE_BACKEND = ['backends/engine_backend.h']
# Mutants of the test build.
DEFECT = ['backends/defect.h']
# Folder -> folders of this project that it may include. The longest matching prefix counts.
ALLOWED = {
    'spec': ['spec'],
    'runtime': ['spec', 'runtime'],
    'evaluator': ['spec', 'runtime', 'evaluator'],
    'interpreter': ['spec', 'runtime', 'evaluator', 'interpreter'],
    'backends': ['spec', 'runtime', *INTERFACE, *ENGINE_BACKEND],
    'backends/cpu': ['spec', 'runtime', *INTERFACE, *ENGINE_BACKEND, *DEFECT, 'backends/cpu', 'backends/passes'],
    'backends/cuda': ['spec', 'runtime', *INTERFACE, *ENGINE_BACKEND, 'backends/cuda', 'backends/passes'],
    # Kernel sources and what runs them know of no module.
    'backends/cuda/dialect': ['backends/cuda/dialect', 'backends/cuda/emulator/calls.h'],
    'backends/cuda/emulator': ['backends/cuda/dialect', 'backends/cuda/emulator'],
    'backends/cuda/checker': ['backends/cuda'],
    'backends/cuda/kernels/testing': ['spec', 'runtime', 'interpreter', *INTERFACE, 'backends/cuda', 'backends/testing'],  # tests alone
    # Tests against the evaluator.
    'backends/cpu/vector/testing': ['spec', 'runtime', 'evaluator', 'backends/cpu/vector', 'backends/testing'],
    'backends/testing': ['spec', 'runtime', 'evaluator', 'backends/testing'],  # tests alone
    'backends/factory': ['spec', 'runtime', 'backends'],
    'backends/golden': ['spec', 'runtime', 'interpreter', *INTERFACE, *ENGINE_BACKEND, 'backends/golden'],
    'backends/passes': ['spec', 'runtime', *DEFECT, 'backends/passes'],
    'backends/process': ['spec', 'runtime/interrupt.h', *INTERFACE, 'backends/process'],
    # A plug-in and its host share the declarations of the interface alone.
    'backends/pjrt': ['spec', 'runtime', 'interpreter', 'backends'],
    'backends/pjrt/abi': ['spec/element', 'backends/pjrt/abi'],
    'backends/pjrt/driver': ['spec', 'runtime', *INTERFACE, 'backends/process', 'backends/pjrt/abi', 'backends/pjrt/sharding',
                             'backends/pjrt/driver'],
    'backends/pjrt/plugin': ['spec', 'runtime', 'interpreter', *INTERFACE, 'backends/cpu', 'backends/golden', 'backends/pjrt/abi',
                             'backends/pjrt/sharding', 'backends/pjrt/plugin'],
    'backends/pjrt/sharding': ['spec', 'backends/pjrt/sharding'],
    'conformance': ['spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance'],
    'fuzz': ['spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance', 'fuzz'],
    'python': ['spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance', 'fuzz', 'tools/cli', 'python'],
    'tools': ['spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance', 'fuzz', 'tools'],
}
# Layers within spec: the element types know nothing of modules, modules nothing of their texts.
ALLOWED_IN_SPEC = {
    'spec/element': ['spec/element'],
    'spec/ir': ['spec/element', 'spec/ir', 'spec/op_info.h', 'spec/op_catalogue.def'],
}
FOLDERS = sorted({name.split('/')[0] for name in ALLOWED})
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def rule_for(path):
    if path.parent.as_posix() in ALLOWED_IN_SPEC:
        return ALLOWED_IN_SPEC[path.parent.as_posix()]
    parts = path.parts
    for length in range(len(parts) - 1, 0, -1):
        prefix = '/'.join(parts[:length])
        if prefix in ALLOWED:
            return ALLOWED[prefix]
    return None


def main():
    root = pathlib.Path(sys.argv[1])
    bad = checked = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix not in ('.cc', '.h', '.def', '.cu', '.cuh'):
                continue
            relative = path.relative_to(root)
            allowed = rule_for(relative)
            checked += 1
            if allowed is None:
                continue
            for include in INCLUDE.findall(path.read_text(encoding='utf-8')):
                if include.split('/')[0] not in FOLDERS:
                    continue
                if not any(include == a or include.startswith(a + '/') for a in allowed):
                    print(f'{relative}: may not include "{include}" (allowed: {", ".join(allowed)})')
                    bad += 1
    print(f'{checked} files checked, {bad} includes against the layers')
    return 1 if bad or checked == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
