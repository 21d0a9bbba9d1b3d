#!/usr/bin/env python3
"""The rules of what a header of the core may include, read off the include lines.

The core is what pte/pte.hpp includes, its layers in order, and proof/, which no layer includes."""

import pathlib
import re

PTE = pathlib.Path(__file__).resolve().parent.parent.parent / 'include/pte'
LAYERS = ['word', 'format', 'tlb', 'batch', 'table', 'mm']
# Everything a freestanding implementation has, or whose libstdc++ header needs no more (<atomic> alone costs 0.4 s).
STANDARD = {
    'array', 'bit', 'compare', 'concepts', 'cstddef', 'cstdint', 'limits', 'new', 'span', 'type_traits', 'utility',
}


def includes(header):
    """The include lines of a header: (line number, what is between < and > or quotes, whether it was < and >)."""
    for number, line in enumerate(header.read_text().splitlines(), 1):
        if found := re.match(r'\s*#\s*include\s*(.*)', line):
            name = re.match(r'<([^>]*)>|"([^"]*)"', found[1])
            yield number, (name[1] or name[2]) if name else found[1], bool(name and name[1])


def layer(name):
    """The layer of an include such as pte/word/field.hpp; the file's own name if it lies in none."""
    return name.split('/')[1]


def core():
    """(header, its layer, line number, included name, in < and >) of all include lines of the core."""
    folders = [header for name in [*LAYERS, 'proof'] for header in sorted((PTE / name).rglob('*.hpp'))]
    for header in [PTE / 'pte.hpp', *folders]:
        for number, name, angle in includes(header):
            yield header, layer(str(header.relative_to(PTE.parent))), number, name, angle


def standard_headers():
    for header, _, number, name, angle in core():
        if not name.startswith('pte/') and name not in STANDARD:
            yield f'{header}:{number}: <{name}> is none of: {" ".join(sorted(STANDARD))}'


def layers_in_order():
    for header, own, number, name, _ in core():
        allowed = {'pte.hpp': LAYERS, 'proof': [*LAYERS, 'proof']}.get(own)
        if allowed is None:
            allowed = LAYERS[:LAYERS.index(own) + 1]
        if name.startswith('pte/') and layer(name) not in allowed:
            yield f'{header}:{number}: {own} may not include <{name}>, only: {" ".join(allowed)}'


def one_way_of_writing():
    for header in sorted(PTE.rglob('*.hpp')):
        if '#pragma once' not in header.read_text():
            yield f'{header}: has no #pragma once'
        for number, name, angle in includes(header):
            if not angle:
                yield f'{header}:{number}: write #include <pte/...>, not "{name}"'


passed = failed = 0
for rule in standard_headers, layers_in_order, one_way_of_writing:
    broken = list(rule())
    print('FAILED' if broken else 'ok    ', rule.__name__, *broken, sep='\n  ' if broken else ' ')
    passed, failed = (passed, failed + 1) if broken else (passed + 1, failed)
print(f'{passed} passed, {failed} failed')
