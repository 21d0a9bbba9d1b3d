#!/usr/bin/env python3
"""Lists what tests/ and examples/ hold, for meson.build and runner.py: one `kind|name|source|how|needs` a line.

The kind is the folder, the name is that of the file, and how is
  compile       passed by compiling
  freestanding  passed by compiling for no operating system
  header        a public header; passed by compiling alone
  link          passed by linking, from two translation units that include every header
  program       an example or a benchmark; passed by linking
  must_fail     passed by not compiling, with the diagnostics that its `// expect: TEXT` lines ask for
  catch2        a program of Catch2 test cases
  fuzz          a libFuzzer target
  script        a test script, run by bash (.sh) or python3 (.py)
needs are the libraries whose headers it includes, itself or through our own headers."""

import functools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The folders in tests/ (and examples/), and how their *.cpp are tested. All may also hold scripts.
FOLDERS = {
    'examples': 'program', 'unit': 'catch2', 'static': 'compile', 'proofs': 'compile', 'must_fail': 'must_fail',
    'headers': 'link', 'freestanding': 'freestanding', 'programs': 'catch2', 'fuzz': 'fuzz', 'bench': 'program',
    'consumers': None, 'mutants': None,
}

# An include that begins so needs this library.
LIBRARIES = {
    'CLI/': 'cli11', 'benchmark/': 'benchmark', 'boost/': 'boost', 'catch2/': 'catch2', 'fmt/': 'fmt',
    'gelf.h': 'elf', 'libelf.h': 'elf', 'nlohmann/': 'json', 'pthread.h': 'threads', 'range/v3/': 'range-v3',
    'rapidcheck': 'rapidcheck', 'thread>': 'threads', 'z3': 'z3', 'zlib.h': 'zlib',
}


@functools.cache
def includes(path):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+[>"])', path.read_text(), re.M)


def needs(path):
    """The libraries that this file and those of our headers that it reaches include."""
    found, seen, todo = set(), set(), [path]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        for include in includes(path):
            found |= {library for prefix, library in LIBRARIES.items() if include.startswith(prefix)}
            for folder in (path.parent, ROOT / 'include'):
                if (folder / include[:-1]).is_file():
                    todo.append((folder / include[:-1]).resolve())
    return sorted(found)


def find():
    """All of it, as (kind, name, source, how, needs). Sources are relative to the root, headers to include/."""
    for header in sorted((ROOT / 'include/pte').rglob('*.hpp')):
        name = str(header.relative_to(ROOT / 'include/pte').with_suffix('')).replace('/', '-')
        yield 'headers', name, str(header.relative_to(ROOT / 'include')), 'header', needs(header)
    for kind, how in FOLDERS.items():
        folder = ROOT / ('examples' if kind == 'examples' else f'tests/{kind}')
        for source in sorted(folder.glob('*.*')):
            place = str(source.relative_to(ROOT))
            if source.suffix in ('.py', '.sh'):
                yield kind, source.stem, place, 'script', []
            elif source.suffix == '.cpp':
                proof_that_runs = kind == 'proofs' and 'TEST_CASE' in source.read_text()
                yield kind, source.stem, place, 'catch2' if proof_that_runs else how, needs(source)


if __name__ == '__main__':
    for kind, name, source, how, libraries in find():
        print(kind, name, source, how, ' '.join(libraries), sep='|')
