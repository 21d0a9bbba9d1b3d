#!/usr/bin/env python3
"""Are the tests sharp? Makes small mistakes in copies of include/, one at a time, each of which some test must notice.

tests/mutants/*.txt lists the mistakes:

    # a comment
    checks: static/format_* unit/laws       tests, as tests/run names them, for the mistakes below this line
    checks+ proofs/*                        some more of them
    tlb/need.hpp                            a header, below include/pte
    - o.valid && n.valid                    what stands there, exactly once (two such lines: on adjacent lines)
    + o.valid || n.valid                    what is put in its place
    = why no test can tell the difference   for the few that change nothing; those must survive

For each the tests that reach the header run, in the order of the patterns (so the cheapest should come first), until
one fails; that one must pass without the mistake. What is no longer C++ is no mistake of the kind that we look for, but
one of the list. Ends with the line `N passed, N failed`: N mistakes were noticed."""

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
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import list as tests_list  # noqa: E402

ROOT = tests_list.ROOT
JOBS = 2
TIMEOUT = 180  # seconds, for one compiler or program; a mistake may well be an endless loop
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
        elif line.startswith('checks+'):
            checks = checks + line.split()[1:]
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
        self.lock = threading.Lock()
        self.reaches = {str(path.relative_to(ROOT / 'include/pte')) for path in reached(self.source, set())
                        if path.is_relative_to(ROOT / 'include/pte')}

    def command(self, include, program):
        compiler = [*COMPILER, f'-I{include}']
        if self.how == 'must_fail':  # it looks into its own include/ as well, but here first
            return [ROOT / 'tests/must_fail.py', self.source, f'{program}.ok', f'{program}.d', *compiler]
        if self.how == 'compile':
            return [*compiler, '-fsyntax-only', '-fmax-errors=1', self.source]
        return [*compiler, self.source, '-o', program, *[LIBRARIES[need] for need in self.needs if need in LIBRARIES]]

    def fails(self, headers, programs):
        """'' if it passes with the headers in that folder, else how it fails."""
        program = programs / self.name.replace('/', '-')
        status, output = execute(self.command(headers / 'include', program))
        if status == 'timeout':
            return 'does not end'
        if status != 0:
            if self.how != 'must_fail' and not ASSERTION.search(output):
                return 'does not compile\n' + output
            return 'a static test fails'
        if self.how == 'catch2':
            status, output = execute([program])
            if status != 0:
                return 'does not end' if status == 'timeout' else f'a test case fails (status {status})'
        return ''


def execute(command):
    environment = {**os.environ, 'LC_ALL': 'C', 'PTE_SOURCE': str(ROOT), 'PTE_BUILD': str(ROOT / 'build')}
    try:
        result = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors='replace', timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return 'timeout', ''
    return result.returncode, result.stdout


def find_checks():
    # Programs that need what the build makes, and those without a test to fail, are of no use here.
    for kind, name, source, how, needs in tests_list.find():
        if kind in ('static', 'proofs', 'unit', 'must_fail') and how != 'script':
            yield Check(kind, name, source, how, needs)


class Trial:
    """Judges mistakes, all by the headers as they were at its beginning: others may be at work in include/."""

    def __init__(self, scratch):
        self.scratch, self.checks = scratch, list(find_checks())
        self.original = shutil.copytree(ROOT / 'include', pathlib.Path(scratch) / 'original/include').parent
        self.unsound = {}  # how a check fails with nothing changed, '' if it passes

    def sound(self, check):
        """Does the check pass with nothing changed? Asked of those that noticed something."""
        with check.lock:
            if check.name not in self.unsound:
                with tempfile.TemporaryDirectory(dir=self.scratch) as programs:
                    self.unsound[check.name] = check.fails(self.original, pathlib.Path(programs))
        return not self.unsound[check.name]

    def checks_for(self, mutant):
        """Those that reach its header, in the order of its patterns."""
        found = []
        for pattern in mutant.checks:
            found += [check for check in self.checks if fnmatch.fnmatch(check.name, pattern) and
                      mutant.file in check.reaches and check not in found]
        return found

    def killer(self, mutant, folder):
        """(what notices the mistake, '' if nothing does; what is wrong with the list)"""
        shutil.copytree(self.original / 'include', folder / 'include')
        if error := mutant.apply(folder / 'include'):
            return '', error
        status, output = execute([*COMPILER, '-fsyntax-only', '-x', 'c++', f'-I{folder}/include',
                                  folder / 'include/pte' / mutant.file])
        if status != 0:
            return 'its own static_assert', '' if ASSERTION.search(output) else 'does not compile\n' + output
        for check in self.checks_for(mutant):
            if (why := check.fails(folder, folder)) and self.sound(check):
                if why.startswith('does not compile'):
                    return '', f'with it {check.name} {why}'
                return check.name + (', which ' + why if why == 'does not end' else ''), ''
        return '', ''

    def judge(self, mutant):
        """(is all as it should be, what to print)"""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            killer, error = self.killer(mutant, pathlib.Path(folder))
        if error:
            return False, f'ERROR {error}'
        if mutant.equivalent:
            return not killer, f'killed by {killer}, but said to change nothing' if killer else 'equivalent'
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

    killed = failed = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        trial = Trial(scratch)
        running = {pool.submit(trial.judge, mutant): mutant for mutant in mutants}
        for future in concurrent.futures.as_completed(running):
            mutant, (good, text) = running[future], future.result()
            print(f'{text:40}  {mutant.place} {mutant}', flush=True)
            killed += good and not mutant.equivalent
            failed += not good
    for name, why in trial.unsound.items():
        if why:
            failed += 1
            print(f'ERROR {name} fails with nothing changed: {why}')
    print(f'{killed} passed, {failed} failed')
    sys.exit(failed != 0)


if __name__ == '__main__':
    main()
