#!/usr/bin/env python3
"""The library's functions against those written by hand beside them in codegen/*.cpp: at most two instructions more, and
no branch, access to memory or call more, in the code that each compiler makes at -O2. Each format is judged on its own
architecture; what it costs on the others is printed too."""

import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = sorted((ROOT / 'tests/bench/codegen').glob('*.cpp'))
TRIPLES = ['x86_64', 'aarch64', 'powerpc64le', 'riscv64']
HOME = {'x86_64': 'x86_64', 'arm64': 'aarch64', 'ppc64': 'powerpc64le', 'riscv64': 'riscv64'}

# What counts as a branch, a call or an access to memory, by architecture.
BRANCH = {
    'x86_64': r'j[a-z]+', 'aarch64': r'b|b\.[a-z]+|cbn?z|tbn?z|br', 'powerpc64le': r'b[a-z]*(?<!lr)(?<!lrl)(?<!bl)[+-]?',
    'riscv64': r'b[a-z]+|j|jr',
}
CALL = {'x86_64': r'call', 'aarch64': r'blr?', 'powerpc64le': r'bl|bctrl', 'riscv64': r'jalr?|call'}
MEMORY = {
    'x86_64': r'^(?!lea|nop).*\(', 'aarch64': r'^(ld|st)\w+', 'powerpc64le': r'^(l[bhwd]\w*|st\w+)\s.*\(', 'riscv64': r'\(',
}


def functions(source, compiler, arch, scratch):
    """The instructions of each function, as that compiler makes them."""
    target = f'{arch}-linux-gnu'
    obj = pathlib.Path(scratch) / 'code.o'
    command = [compiler, '-O2', '-std=c++20', f'-I{ROOT}/include', '-c', str(source), '-o', str(obj)]
    if 'clang' in compiler:
        command.insert(1, f'--target={target}')
    subprocess.run(command, check=True)
    dump = subprocess.run([f'{target}-objdump', '-d', '--no-show-raw-insn', str(obj)], check=True, capture_output=True, text=True)
    found, name = {}, None
    for line in dump.stdout.splitlines():
        if start := re.match(r'[0-9a-f]+ <(\w+)>:$', line):
            name = start.group(1)
            found[name] = []
        elif name and (code := re.match(r'\s*[0-9a-f]+:\s+(\S.*)$', line)):
            found[name].append(code.group(1))
    # What pads a function to its alignment is none of its instructions.
    padding = re.compile(r'nop|data16|cs nop|xchg\s+%ax,%ax|\.long|\.\.\.')
    for code in found.values():
        while code and padding.match(code[-1]):
            code.pop()
    return found


def count(code, arch):
    mnemonics = [line.split()[0] for line in code]
    return {
        'instructions': len(code),
        'branches': sum(bool(re.fullmatch(BRANCH[arch], m)) for m in mnemonics),
        'calls': sum(bool(re.fullmatch(CALL[arch], m)) for m in mnemonics),
        'memory': sum(bool(re.search(MEMORY[arch], line)) for line in code),
    }


def compilers(arch):
    cross = f'{arch}-linux-gnu-g++'
    for compiler in (cross, *(c for c in ('clang++-16', 'clang++-19') if shutil.which(c))):
        yield compiler


worse = compared = 0
with tempfile.TemporaryDirectory() as scratch:
    for source, arch in itertools.product(SOURCES, TRIPLES):
        for compiler in compilers(arch):
            code = functions(source, compiler, arch, scratch)
            for name in sorted(n.removeprefix('library_') for n in code if n.startswith('library_')):
                library, by_hand = (count(code[f'{which}_{name}'], arch) for which in ('library', 'by_hand'))
                more = {what: library[what] - by_hand[what] for what in library}
                bad = more['instructions'] > 2 or any(more[what] > 0 for what in ('branches', 'calls', 'memory'))
                judged = HOME[name] == arch
                compared, worse = compared + judged, worse + (judged and bad)
                print(f'{("WORSE" if bad else "ok") if judged else "":5}  {source.stem:11} {name:8} for {arch:12} by {compiler:26} '
                      + '  '.join(f'{what} {library[what]} ({by_hand[what]})' for what in library))
print(f'{compared} compared, {worse} worse than by hand')
sys.exit(1 if worse or not compared else 0)
