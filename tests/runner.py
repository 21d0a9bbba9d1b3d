#!/usr/bin/env python3
"""Builds and runs the tests of one build directory. tests/run calls this for each compiler; see there.

Each test that list.py finds is built. What is passed by compiling counts one; a Catch2 program counts its test cases; a
script or fuzz target counts one, or what its last line says (`N passed, N failed`), and one that ends with status 77
is skipped. The counts are written to the file counts in the build directory, as `PASSED FAILED`."""

import argparse
import ast
import concurrent.futures
import configparser
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import list as tests_list  # noqa: E402

TIMEOUT = 1200  # seconds, for one program
FUZZ_SECONDS = os.environ.get('PTE_FUZZ_SECONDS', '5')
INTERPRETERS = {'.py': 'python3', '.sh': 'bash'}
ROOT = tests_list.ROOT


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--prefix', default='', help='goes before the names of the tests')
    parser.add_argument('--kinds', required=True, help='unit,...: folders; unit-scripts,...: scripts in them')
    parser.add_argument('--only', default='*', help='only tests whose name matches this pattern')
    parser.add_argument('--names', action='store_true', help='only print the names of the tests')
    parser.add_argument('--cross-file', help='meson cross file, whose exe_wrapper runs the programs')
    return parser.parse_args()


class Test:
    def __init__(self, kind, name, source, how):
        self.name = f'{kind}/{name}'
        self.kind, self.source, self.how = kind, ROOT / source, how
        # What meson calls it (tests/meson.build, examples/meson.build).
        self.target = f'tests/{kind}-{name}'
        if kind == 'examples':
            self.target = f'examples/{name}'
        elif how == 'script':
            self.target = None
        elif how == 'must_fail':
            self.target += '.ok'
        elif how in ('compile', 'freestanding', 'header'):
            self.target = f'tests/lib{kind}-{name}.a'


def select(options):
    """The tests that the options ask for, and the programs that these may look at."""
    tests, programs = [], []
    for kind, name, source, how, _ in tests_list.find():
        test = Test(kind, name, source, how)
        wanted = (f'{kind}-scripts' if how == 'script' else kind) in options.kinds.split(',')
        wanted = wanted and (how != 'fuzz' or 'clang' in options.prefix)
        if wanted and fnmatch.fnmatch(options.prefix + test.name, options.only):
            tests.append(test)
        if how == 'program':
            programs.append(test)
    looking = any(test.how == 'script' or test.kind == 'programs' for test in tests)
    return tests, programs if looking else []


def ninja(build, *targets, **how):
    return subprocess.run(['flock', build / 'set-up.lock', 'ninja', '-C', build, *targets], **how)


def build_failures(build, tests):
    """Builds the tests; gives the output of those that do not build, by target."""
    targets = sorted({test.target for test in tests if test.target})
    sys.stdout.flush()
    if not targets or ninja(build, '-k0', *targets).returncode == 0:
        return {}
    failures = {}
    for target in targets:
        result = ninja(build, target, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
        if result.returncode != 0:
            failures[target] = result.stdout
    return failures


def count(test, status, output):
    """(passed, failed) of a program that ended so."""
    passed = failed = 0
    if test.how == 'catch2':
        if found := re.search(r'All tests passed \(.*\bin (\d+) test cases?', output):
            passed = int(found[1])
        elif found := re.findall(r'^test cases: *\d+ (.*)$', output, re.M):
            for number, what in re.findall(r'(\d+) (passed|failed(?: as expected)?)', found[-1]):
                if what == 'failed':
                    failed += int(number)
                else:
                    passed += int(number)
        if passed + failed == 0:
            failed = 1  # it crashed, or has no test cases
    elif found := re.search(r'^(\d+) passed, (\d+) failed\n*\Z', output, re.M):
        passed, failed = int(found[1]), int(found[2])
    else:
        passed = 1 if status == 0 else 0
    if status != 0 and failed == 0:
        failed = 1
    return passed, failed


def run(test, build, wrapper):
    """(passed, failed, output)"""
    if test.how == 'script':
        command = [INTERPRETERS[test.source.suffix], test.source]
    else:
        command = [*wrapper, build / test.target]
    if test.how == 'fuzz':
        # libFuzzer writes to the first folder what it finds worth keeping, and reads the others.
        found = build / 'fuzz' / test.source.stem
        known = ROOT / 'tests/data/fuzz' / test.source.stem
        found.mkdir(parents=True, exist_ok=True)
        command += [f'-max_total_time={FUZZ_SECONDS}', '-timeout=10', '-rss_limit_mb=2048',
                    f'-artifact_prefix={found}-', found, *([known] if known.is_dir() else [])]
    environment = {'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1', **os.environ,
                   'PTE_SOURCE': str(ROOT), 'PTE_BUILD': str(build)}
    try:
        result = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors='replace', timeout=TIMEOUT)
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b'').decode(errors='replace')
        return 0, 1, f'{output}\nstill running after {TIMEOUT} s'
    except OSError as error:
        return 0, 1, str(error)
    if test.how == 'script' and result.returncode == 77:
        return 0, 0, result.stdout
    passed, failed = count(test, result.returncode, result.stdout)
    return passed, failed, result.stdout + (f'\nexit status {result.returncode}' if failed else '')


def main():
    options = arguments()
    tests, programs = select(options)
    if options.names:
        print(*[options.prefix + test.name for test in tests], sep='\n')
        return
    build = options.build.resolve()
    wrapper = []
    if options.cross_file:
        cross_file = configparser.ConfigParser()
        cross_file.read(options.cross_file)
        wrapper = ast.literal_eval(cross_file['binaries']['exe_wrapper'])

    # meson.build leaves out what needs a library that is not there, such as any for a foreign architecture.
    known = json.loads((build / 'meson-info/intro-targets.json').read_text())
    known = {str(pathlib.Path(file).relative_to(build)) for target in known for file in target['filename']}
    left_out = {test for test in tests if test.target and test.target not in known}
    failures = build_failures(build, [test for test in tests + programs if test.target in known])
    total_passed = total_failed = 0

    def report(test, passed, failed, output):
        nonlocal total_passed, total_failed
        total_passed += passed
        total_failed += failed
        word = 'FAILED' if failed else 'ok' if passed else 'skipped'
        counts = f' ({passed} passed, {failed} failed)' if passed + failed > 1 else ''
        print(f'{word:7} {options.prefix}{test.name}{counts}')
        if word != 'ok':
            print('  | ' + output.strip().replace('\n', '\n  | '))
        sys.stdout.flush()

    def result(test):
        if test in left_out:
            return 0, 0, 'needs a library that this build does not have'
        if test.target in failures:
            return 0, 1, failures[test.target]
        if test.how in ('catch2', 'fuzz', 'script'):
            return run(test, build, wrapper)
        return 1, 0, ''

    # Measurements are made one at a time and after everything else.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        together = [test for test in tests if test.kind != 'bench']
        for test, outcome in zip(together, pool.map(result, together)):
            report(test, *outcome)
    for test in tests:
        if test.kind == 'bench':
            report(test, *result(test))

    (build / 'counts').write_text(f'{total_passed} {total_failed}\n')


if __name__ == '__main__':
    main()
