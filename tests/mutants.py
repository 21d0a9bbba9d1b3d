#!/usr/bin/env python3
"""Are the tests sharp? Makes small mistakes in copies of include/, one at a time, each of which some test must notice.

tests/mutants/*.txt lists the mistakes:

    # a comment
    checks: static/format_* unit/laws       tests, as tests/run names them, for the mistakes below this line
    tlb/need.hpp                            a header, below include/pte
    - o.valid && n.valid                    what stands there, exactly once (two such lines: on adjacent lines)
    + o.valid || n.valid                    what is put in its place
    = why no test can tell the difference   for the few that change nothing; those must survive

For each the tests that reach the header run, in the order of the patterns and the cheapest of each first, until one fails. A header that is no longer C++ is
no mistake of the kind we look for, but one of the list. Ends with the line `N passed, N failed`: N mistakes noticed."""

import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import list as tests_list  # noqa: E402

ROOT = tests_list.ROOT
JOBS = 2
TIMEOUT = 300  # seconds, for one compiler or program as it is; with a mistake in it, ten times as long as without
MEMORY = 3 << 30  # bytes, likewise
COMPILER = ['g++', '-std=c++20']
LIBRARIES = {'catch2': '-lCatch2WithMain', 'elf': '-lelf', 'fmt': '-lfmt', 'threads': '-pthread', 'z3': '-lz3', 'zlib': '-lz'}
# What g++ says when a test that is passed by compiling fails; any other error is none of the test.
ASSERTION = re.compile(r'static assertion failed|is not a constant expression|non-constant condition|'
                       r'in .constexpr. expansion|evaluation (depth|operation count) exceeds')


class Mutant:
    def __init__(self, place, checks, file):
        self.place, self.checks, self.file = place, checks, file
        self.old, self.new, self.equivalent = [], [], ''

    def __str__(self):
        return f'{self.file}: {" ".join(self.old)}  ->  {" ".join(self.new) or "nothing"}'

    def apply(self, include):
        """Make the mistake; the error, if that is not possible."""
        header = include / 'pte' / self.file
        if not header.is_file() or not self.old:
            return 'there is no such header, or no line "- TEXT"'
        pattern = r'[ ]*\n[ ]*'.join(map(re.escape, self.old))
        text, new = header.read_text(), '\n'.join(self.new)
        if (times := len(re.findall(pattern, text))) != 1:
            return f'the text occurs {times} times, not once'
        header.write_text(re.sub(pattern, lambda _: new, text))
        return ''


def read(path):
    mutants, checks, file = [], [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        kind, rest = line[:2], line[2:].strip()
        place = f'{path.name}:{number}'
        if not line.strip() or line.startswith('#'):
            continue
        if line.startswith('checks:'):
            checks = line.split()[1:]
        elif kind == '- ':
            if not mutants or mutants[-1].new or mutants[-1].equivalent or mutants[-1].file != file:
                mutants.append(Mutant(place, checks, file))
            mutants[-1].old.append(rest)
        elif kind in ('+ ', '+'):
            mutants[-1].new.append(rest)
        elif kind == '= ':
            mutants[-1].equivalent += rest + ' '
        else:
            file = line.strip()
    return mutants


def reached(path, seen):
    """Adds to seen what this file includes of ours, itself or through others, as it is found below the root."""
    if path not in seen:
        seen.add(path)
        for include in tests_list.includes(path):
            for folder in (path.parent, ROOT / 'include'):
                if (folder / include[:-1]).is_file():
                    reached((folder / include[:-1]).resolve(), seen)
    return seen


class Check:
    def __init__(self, kind, name, source, how, needs):
        self.name, self.source, self.how, self.needs = f'{kind}/{name}', ROOT / source, how, needs
        self.seconds = 0.0
        self.reaches = {str(path.relative_to(ROOT / 'include/pte')) for path in reached(self.source, set())
                        if path.is_relative_to(ROOT / 'include/pte')}

    def command(self, include, program):
        compiler = [*COMPILER, f'-I{include}']
        if self.how == 'must_fail':  # it looks into its own include/ as well, but here first
            return [ROOT / 'tests/must_fail.py', self.source, f'{program}.ok', f'{program}.d', *compiler]
        if self.how == 'compile':
            return [*compiler, '-fsyntax-only', self.source]
        return [*compiler, self.source, '-o', program, *[LIBRARIES[need] for need in self.needs if need in LIBRARIES]]

    def fails(self, folder):
        """'' if it passes with the headers in folder, else how it fails."""
        program = folder / self.name.replace('/', '-')
        timeout = 30 + 10 * self.seconds if self.seconds else TIMEOUT
        status, output = execute(self.command(folder / 'include', program), timeout)
        if status == 'timeout':
            return 'does not end'
        if status != 0:
            if self.how != 'must_fail' and not ASSERTION.search(output):
                return 'BROKEN ' + output
            return 'a static test fails'
        if self.how == 'catch2':
            status, output = execute([program], timeout)
            if status != 0:
                return 'does not end' if status == 'timeout' else f'a test case fails (status {status})'
        return ''


def execute(command, timeout=TIMEOUT):
    environment = {**os.environ, 'LC_ALL': 'C', 'PTE_SOURCE': str(ROOT), 'PTE_BUILD': str(ROOT / 'build')}
    try:
        result = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors='replace', timeout=timeout)
    except subprocess.TimeoutExpired:
        return 'timeout', ''
    return result.returncode, result.stdout


def find_checks():
    # Programs that need what the build makes, and those without a test to fail, are of no use here.
    for kind, name, source, how, needs in tests_list.find():
        if kind in ('static', 'proofs', 'unit', 'must_fail') and how != 'script':
            yield Check(kind, name, source, how, needs)


def without_mistake(check, original, scratch):
    """Does the check pass as it is? Notes how long that takes."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        shutil.copytree(original, pathlib.Path(folder) / 'include')
        begin = time.monotonic()
        why = check.fails(pathlib.Path(folder))
        check.seconds = time.monotonic() - begin
    return why


def judge(mutant, checks, original, scratch):
    """(is it as it should be, what to print)"""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(original, folder / 'include')
        if error := mutant.apply(folder / 'include'):
            return False, f'ERROR {error}'
        status, output = execute([*COMPILER, '-fsyntax-only', '-x', 'c++', f'-I{folder}/include',
                                  folder / 'include/pte' / mutant.file])
        killer = 'its own static_assert' if status != 0 else ''
        if status != 0 and not ASSERTION.search(output):
            return False, 'ERROR does not compile\n' + output
        for check in checks:
            if killer:
                break
            if why := check.fails(folder):
                if why.startswith('BROKEN '):
                    return False, f'ERROR with it {check.name} does not compile\n' + why[7:]
                killer = f'{check.name}, which {why}' if why == 'does not end' else check.name
    if mutant.equivalent:
        return not killer, f'killed by {killer}, though it should change nothing' if killer else 'equivalent'
    return bool(killer), f'killed by {killer}' if killer else 'SURVIVED'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--tenth', type=int, nargs='?', const=int(time.time()) // 86400 % 10, metavar='0-9',
                        help='a tenth of the list; if not said which, another one each day')
    parser.add_argument('pattern', nargs='*', default=['*'], help='only those in headers, or at LIST.txt:LINE, that match')
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    mutants = [mutant for path in sorted((ROOT / 'tests/mutants').glob('*.txt')) for mutant in read(path)]
    mutants = [mutant for mutant in mutants
               if any(fnmatch.fnmatch(name, p) for name in (mutant.file, mutant.place) for p in options.pattern)]
    if options.tenth is not None:
        print(f'--tenth {options.tenth}')
        mutants = mutants[options.tenth::10]

    failed = 0
    checks = list(find_checks())
    tried = {mutant: [check for check in checks if mutant.file in check.reaches and
                      any(fnmatch.fnmatch(check.name, glob) for glob in mutant.checks)] for mutant in mutants}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        # Others may be at work in include/ meanwhile; all are judged by the same headers.
        original = shutil.copytree(ROOT / 'include', pathlib.Path(scratch) / 'original')
        used = [check for check in checks if any(check in some for some in tried.values())]
        for check, why in zip(used, pool.map(lambda check: without_mistake(check, original, scratch), used)):
            if why:
                failed += 1
                print(f'ERROR {check.name} fails with nothing changed: {why}', flush=True)
                for some in tried.values():
                    some[:] = [other for other in some if other is not check]

        def one(mutant):
            def order(check):
                return [fnmatch.fnmatch(check.name, glob) for glob in mutant.checks].index(True), check.seconds
            return judge(mutant, sorted(tried[mutant], key=order), original, scratch)

        killed = 0
        running = {pool.submit(one, mutant): mutant for mutant in mutants}
        for future in concurrent.futures.as_completed(running):
            mutant, (good, text) = running[future], future.result()
            print(f'{text:40}  {mutant.place} {mutant}', flush=True)
            killed += good and not mutant.equivalent
            failed += not good
    print(f'{killed} passed, {failed} failed')
    sys.exit(failed != 0)


if __name__ == '__main__':
    main()
