#!/usr/bin/env python3
"""Holds `assay verify` against XLA's own verifier.

usage: verify_peer_test.py ASSAY SOURCE_DIR [--count N] [--seed S] [--show] [--anew]

Modules: every pair of spec/verify/testdata, and N mutants of their accepted sides: one number, element type, list
entry, operand or flag changed, or one element type changed everywhere. XLA reads the text, writes it as a proto, reads
that and verifies it (xla_verifier.py); what passes its CPU compiler compiles too, as far as StableHLO, the way there,
can say it. Children do it, since XLA may abort. Where the verdicts of the verifiers differ,
tools/peers/verify_disagreements.txt must say why; a disagreement it does not list fails the test.

XLA's verdicts are stored in known/verify_peer.xz with the version of jaxlib. XLA is asked for what is not there and for one
module of LIVE_EVERY; --anew asks for all and stores the verdicts.

Needs jax (peers.py).
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import disagreements
import known_answers
import peers

DEVICES = 8  # that XLA pretends to have
KNOWN = os.path.join(known_answers.HERE, 'known', 'verify_peer.xz')
TYPES = ('pred', 's4', 's8', 's16', 's32', 's64', 'u4', 'u8', 'u16', 'u32', 'u64', 'f16', 'f32', 'f64', 'bf16', 'c64',
         'c128', 'f8e4m3fn', 'f8e5m2')
OTHER_TYPES = ('pred', 's32', 's64', 'u8', 'f16', 'bf16', 'f32', 'f64', 'c64')
TYPED = re.compile(rf'\b({"|".join(TYPES)})(?=\[)')
REFUSALS = ('parse', 'proto', 'verify')  # stages of XLA's that are no fault of its compiler or the way there
TOKEN = re.compile(r'[A-Za-z_][\w.\-]*|-?\d+|\s+|.', re.S)


# --- XLA, in a child: a module a line (JSON) in, [stage, message] out; stage "ok" means taken and compiled.

def serve_modules(questions, answers, verifier):
    """What a grandchild does: it may abort, and takes its backend with it."""
    import jax
    import jaxlib
    import numpy as np
    from jax._src.lib import xla_client
    client = jax.devices()[0].client

    def compile_options(text):
        """As many replicas and partitions as the module says: they are not part of StableHLO."""
        counts = [int(found.group(1)) if found else 1 for found in
                  (re.search(rf'^HloModule.*\b{name}=(\d+)', text) for name in ('replica_count', 'num_partitions'))]
        if not 1 <= counts[0] * counts[1] <= DEVICES:
            counts = [1, 1]
        options = xla_client.CompileOptions()
        options.num_replicas, options.num_partitions = counts
        build = options.executable_build_options
        build.num_replicas, build.num_partitions = counts
        build.use_spmd_partitioning = counts[1] > 1
        numbers = np.arange(counts[0] * counts[1]).reshape(counts)
        options.device_assignment = xla_client.DeviceAssignment.create(numbers)
        return options, xla_client.DeviceList(tuple(jax.devices()[:numbers.size]))

    def verdict(text):
        stage, message = verifier.verdict(text)
        if stage != 'ok':
            return [stage, message]
        try:
            stage = 'convert'
            proto = xla_client.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
            converted = jaxlib._jax.mlir.xla_computation_to_mlir_module(xla_client.hlo.XlaComputation(proto))
            stage = 'compile'
            options, devices = compile_options(text)
            client.compile_and_load(converted, devices, options)
        except Exception as error:  # XLA's refusals have no type of their own.
            return [stage, str(error)]
        return ['ok', '']

    for line in questions:
        print(json.dumps(verdict(json.loads(line))), file=answers, flush=True)
    os._exit(0)


def fork_server(verifier):
    """A grandchild with its pipes. JAX is loaded, so that a new one after an abort costs little."""
    question, answer = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(question[1])
        os.close(answer[0])
        serve_modules(os.fdopen(question[0]), os.fdopen(answer[1], 'w'), verifier)
    os.close(question[0])
    os.close(answer[1])
    return pid, os.fdopen(question[1], 'w'), os.fdopen(answer[0])


def serve():
    answers = os.fdopen(os.dup(1), 'w')
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    os.environ['XLA_FLAGS'] = f'--xla_backend_optimization_level=0 --xla_force_host_platform_device_count={DEVICES}'
    os.environ['JAX_PLATFORMS'] = 'cpu'
    from xla_verifier import Verifier
    try:
        verifier = Verifier.create()
    except RuntimeError as error:
        print(json.dumps(['none', str(error)]), file=answers, flush=True)
        return
    print(json.dumps(['ready', '']), file=answers, flush=True)
    server = None
    for line in sys.stdin:
        server = server or fork_server(verifier)
        pid, questions, replies = server
        try:
            questions.write(line)
            questions.flush()
            answer = replies.readline()
        except BrokenPipeError:
            answer = ''
        if not answer:
            os.waitpid(pid, 0)
            server = None
        print(answer.strip() or '["abort", ""]', file=answers, flush=True)


def ask_xla(texts):
    """The verdicts on a share of the modules, by a child of their own."""
    child = subprocess.Popen([sys.executable, __file__, '--serve'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
    stage, message = json.loads(child.stdout.readline())
    if stage != 'ready':
        peers.skip(message)
    verdicts = []
    for text in texts:
        child.stdin.write(json.dumps(text) + '\n')
        child.stdin.flush()
        verdicts.append(json.loads(child.stdout.readline()))
    child.stdin.close()
    child.wait()
    return verdicts


def xla_verdicts(texts):
    shares = max(1, os.cpu_count() or 1)
    with concurrent.futures.ThreadPoolExecutor(shares) as pool:
        parts = list(pool.map(ask_xla, [texts[i::shares] for i in range(shares)]))
    return [parts[i % shares][i // shares] for i in range(len(texts))]


def known_or_asked(texts, anew):
    """XLA's verdicts on all modules."""
    known = {} if anew else known_answers.read_answers(KNOWN, [])
    keys = [known_answers.key_of(text.encode()) for text in texts]
    asked = [i for i, key in enumerate(keys) if i % known_answers.LIVE_EVERY == 0 or key not in known]
    fresh = dict(zip(asked, xla_verdicts([texts[i] for i in asked])))
    verdicts = [fresh[i] if i in fresh else known[key]['verdict'] for i, key in enumerate(keys)]
    print(f'{len(asked)} modules were put to XLA, {len(texts) - len(asked)} verdicts were known')
    if anew:
        known_answers.write_answers(KNOWN, [], {key: {'key': key, 'verdict': verdict} for key, verdict in zip(keys, verdicts)})
    return verdicts


# --- Assay

def assay_verdicts(assay, texts):
    """Per module None, or the first finding."""
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            pathlib.Path(folder, f'{number:06}.hlo').write_text(text, encoding='utf-8')
        run = subprocess.run([assay, 'verify', '--json', folder], capture_output=True, text=True)
    if run.returncode not in (0, 2):
        raise RuntimeError(f'assay verify ends with {run.returncode}: {run.stderr[-2000:]}')
    return [report['findings'][0] if report['findings'] else None for report in json.loads(run.stdout)['files']]


# --- Modules

def line_mutants(line):
    tokens = TOKEN.findall(line)

    def put(i, *new, skip=1):
        return ''.join(tokens[:i] + list(new) + tokens[i + skip:])

    for i, token in enumerate(tokens):
        before, after = tokens[i - 1] if i else '', tokens[i + 1] if i + 1 < len(tokens) else ''
        if re.fullmatch(r'-?\d+', token):
            number = int(token)
            for other in sorted({number + 1, number - 1, 0, 1, 2 * number, -number} - {number}):
                yield put(i, str(other))
            if before and before in '{[,':
                yield put(i, token, ',', token)
                if after == ',':
                    yield put(i, skip=2)
        elif token in TYPES and after == '[':
            for other in OTHER_TYPES:
                if other != token:
                    yield put(i, other)
        elif token in ('true', 'false'):
            yield put(i, 'false' if token == 'true' else 'true')
        elif re.fullmatch(r'p\d', token) and before and before in '( ' and after != ' ':
            yield put(i, f'p{int(token[1:]) + 1}')


def mutants(text):
    lines = text.split('\n')
    entry = next(i for i, line in enumerate(lines) if line.startswith('ENTRY'))
    for i, line in enumerate(lines):
        if i > entry or i == 0:
            for mutant in line_mutants(line):
                yield '\n'.join(lines[:i] + [mutant] + lines[i + 1:])


def retyped(text):
    for old in sorted(set(TYPED.findall(text))):
        for new in TYPES:
            if new != old:
                yield TYPED.sub(lambda match: new if match.group() == old else match.group(), text)


def generate(bases, count, seed):
    """A mutant of each base in turn, without repetition, in an order that the seed gives."""
    generator, seen, pools = random.Random(seed), set(bases), []
    for base in bases:
        pool = [mutant for mutant in dict.fromkeys([*mutants(base), *retyped(base)]) if mutant not in seen]
        seen.update(pool)
        generator.shuffle(pool)
        pools.append(pool)
    modules, turn = [], 0
    while len(modules) < count and any(len(pool) > turn for pool in pools):
        modules += [pool[turn] for pool in pools if len(pool) > turn]
        turn += 1
    return modules[:count]


# --- Verdicts side by side

def compare(texts, ours, theirs, listed, show):
    counts, unlisted = collections.Counter(), []
    for text, finding, (stage, message) in zip(texts, ours, theirs):
        if stage == 'abort':
            counts['XLA aborts'] += 1
            continue
        taken = stage not in REFUSALS
        counts['compiled'] += stage == 'ok'
        if (finding is None) == taken:
            counts['both take' if taken else 'both refuse'] += 1
            continue
        kind = 'takes' if taken else 'refuses'
        detail = f'[{finding["clause"]}] {finding["message"]}' if taken else f'{stage}: {message}'
        opcodes = re.findall(r' ([a-z][a-z0-9-]*)\(', text)
        entry = next((e for e in listed if e.covers(kind, detail, opcodes)), None)
        if entry is None:
            unlisted.append((kind, finding, stage, message, text))
            continue
        entry.count += 1
        counts[f'XLA {kind}, listed'] += 1
    for kind, finding, stage, message, text in unlisted:
        ours_text = f'[{finding["clause"]}] {finding["message"]}' if finding else 'takes it'
        print(f'--- unlisted: XLA {kind} it\n  Assay: {ours_text}\n'
              f'  XLA:   {stage} {" ".join(message.split())[:400]}\n{text[text.rindex("ENTRY"):]}')
    if show:
        for entry in listed:
            print(f'{entry.count:5} {entry.kind} {entry.pattern}: {entry.reason}')
    print(f'{len(texts)} modules: ' + ', '.join(f'{count} {name}' for name, count in sorted(counts.items())) +
          f', {len(unlisted)} unlisted')
    return unlisted


def option(name, default):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def main():
    if sys.argv[1] == '--serve':
        return serve()
    peers.need('jax')
    assay, source = sys.argv[1], pathlib.Path(sys.argv[2])
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(source / 'tools/checks'))
    from clause_cases import read_folder
    cases = [case for case in read_folder(source / 'spec/verify/testdata') if not case.reader]
    bases = list(dict.fromkeys(case.accepted for case in cases))
    texts = list(dict.fromkeys(bases + [case.refused for case in cases]))
    texts += generate(bases, option('--count', 6000), option('--seed', 1))
    listed = disagreements.read_list(source / 'tools/peers/verify_disagreements.txt', ('takes', 'refuses'))
    unlisted = compare(texts, assay_verdicts(assay, texts), known_or_asked(texts, '--anew' in sys.argv), listed, '--show' in sys.argv)
    return 1 if unlisted else 0


if __name__ == '__main__':
    sys.exit(main())
