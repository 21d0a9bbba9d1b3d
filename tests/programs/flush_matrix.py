"""flush_matrix: what it says is what the kernel's sources and the manuals say, in all its forms; and bad options."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(os.environ.get('PTE_BUILD', ROOT / 'build')) / 'examples/flush_matrix'
passed = failed = 0


def check(good, what, detail=''):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f'FAILED {what}: {detail}')


def run(*args):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True, timeout=60)


def cells(*args):
    """The cells of --json, by (architecture, kernel, level, transition)."""
    result = run('--json', *args)
    if result.returncode != 0:
        raise RuntimeError(f'{args}: status {result.returncode}: {result.stderr}')
    return {(c['arch'], c['kernel'], c['level'], c['transition']): c for c in json.loads(result.stdout)['cells']}


# ---- Linux 7.3, read by hand in arch/*/include/asm/tlbflush.h, as: x86 pte, x86 pmd, powerpc radix, arm64, riscv
# (which has the generic fallback). Space: the architecture has no such change.

KINDS = {
    'none':              ('n', 'n', 'n', 'n', 'y', ['same']),
    'software bits':     ('n', 'n', 'y', 'n', 'y', ['soft-dirty-on', 'soft-dirty-off', 'uffd-wp-r', 'uffd-wp-off']),
    'A 0->1':            ('n', 'n', 'n', 'y', 'y', ['accessed-on']),
    'A 1->0':            ('n', 'y', 'n', 'y', 'y', ['accessed-off']),
    'D 0->1':            ('n', 'n', 'n', 'y', 'y', ['dirty-on']),
    'D 1->0':            ('y', 'y', 'y', 'y', 'y', ['dirty-off']),
    'widening':          ('y', 'y', 'n', 'y', 'y', ['r-rw-clean', 'r-rw-dirty', 'r-rx']),
    'narrowing':         ('y', 'y', 'y', 'y', 'y', ['rw-r-clean', 'rw-r-dirty', 'rx-r', 'rw-rx', 'uffd-wp-rw']),
    'attributes':        ('y', 'y', 'y', 'y', 'y', ['memory-type', 'key', 'global-on', 'global-off', 'contiguous-on',
                                                    'contiguous-off']),
    'frame':             ('y', 'y', 'y', 'y', 'y', ['frame']),
    'valid -> invalid':  ('y', 'y', 'y', 'y', 'y', ['rw-empty', 'rw-none']),
    'invalid -> valid':  ('n', 'n', 'y', 'n', 'y', ['empty-rw', 'swap-rw']),
    'NONE, valid on ppc': ('n', 'n', 'n', 'n', 'y', ['none-rw']),
}
COLUMNS = [('x86_64', 'pte'), ('x86_64', 'pmd'), ('ppc64', 'pte'), ('arm64', 'pte'), ('riscv64', 'pte')]
LACKS = {
    'x86_64': {'contiguous-on', 'contiguous-off'},
    'ppc64': {'uffd-wp-r', 'uffd-wp-rw', 'uffd-wp-off', 'key', 'global-on', 'global-off', 'contiguous-on',
              'contiguous-off'},
    'arm64': {'soft-dirty-on', 'soft-dirty-off'},
    'riscv64': {'key'},
}


def expected(arch, level, kernel, transition):
    """Does Linux flush? None if there is no such change."""
    if transition in LACKS[arch] or (arch == 'riscv64' and level == 'pmd' and transition.startswith('contiguous')):
        return None
    if kernel != '7.3':
        new_bits = arch == 'riscv64' or (arch, kernel) == ('arm64', '6.1')
        if new_bits and transition.startswith(('uffd', 'soft')):
            return None
        if arch == 'arm64':
            return True  # the fallback: its own rule came in 6.19
        if arch == 'ppc64' and kernel == '6.1' and transition == 'none-rw':
            return True  # the privileged bit changes as well
    column = COLUMNS.index((arch, level if arch == 'x86_64' else 'pte'))
    return next(kind[column] == 'y' for kind in KINDS.values() if transition in kind[5])


def test_linux():
    found = cells()
    asked = [transition for kind in KINDS.values() for transition in kind[5]]
    seen = set()
    for arch in LACKS:
        for kernel in ('6.1', '6.12', '7.3'):
            for level in ('pte', 'pmd'):
                for transition in asked:
                    key = (arch, kernel, level, transition)
                    want, cell = expected(arch, level, kernel, transition), found.get(key)
                    seen.add(key)
                    check((cell and cell['flushes']['linux']) == want, f'Linux, {key}', cell and cell['flushes'])
    check(set(found) <= seen, 'no other cells', set(found) - seen)


# ---- Flushes of Linux that the manuals do not ask for, on the usual machines.

NEEDLESS = {
    ('x86_64', '7.3', 'pte'): {'r-rw-clean', 'r-rw-dirty', 'r-rx'},
    ('x86_64', '7.3', 'pmd'): {'r-rw-clean', 'r-rw-dirty', 'r-rx', 'accessed-off'},
    ('ppc64', '7.3', 'pte'): {'soft-dirty-on', 'soft-dirty-off', 'empty-rw', 'swap-rw'},
    ('arm64', '7.3', 'pte'): {'r-rw-clean', 'r-rw-dirty', 'rw-r-clean', 'r-rx', 'accessed-on', 'accessed-off',
                              'dirty-on'},
}


def outcomes(found, arch, kernel, level, outcome, policy='linux'):
    return {key[3] for key, cell in found.items()
            if key[:3] == (arch, kernel, level) and cell['outcome'][policy] == outcome}


def test_needless():
    found = cells()
    for place, want in NEEDLESS.items():
        check(outcomes(found, *place, 'needless') == want, f'needless, {place}', outcomes(found, *place, 'needless'))
    for key, cell in found.items():
        need, flushes, outcome = cell['needs'], cell['flushes'], cell['outcome']
        must = need['flush'] or need['break_before_make'] or need['dirty']
        check(flushes['always'] and flushes['exact'] == must, f'exact and always, {key}', cell)
        check('missed' not in outcome.values(), f'nothing is missed, {key}', outcome)
        for policy in ('linux', 'exact', 'always'):
            good = {'flush': must, 'break-before-make': must and need['break_before_make'], 'needless': not must}
            if flushes[policy]:
                check(good.get(outcome[policy], False), f'outcome of {policy}, {key}', cell)
            else:
                check(not must and outcome[policy] in ('none', 'spurious-fault', 'accessed-unnoted'), f'{key}', cell)
        check(cell['verdict'].startswith('no flush') == (not must), f'verdict, {key}', cell['verdict'])
    broken = {'frame', 'memory-type', 'global-on', 'contiguous-on', 'contiguous-off'}
    check(outcomes(found, 'arm64', '7.3', 'pte', 'break-before-make', 'exact') == broken, 'break before make')


def test_words():
    """The entries are what the manuals and the kernel write; known words of the latter among them."""
    found = cells('--kernel', '7.3')

    def words(arch, transition, level='pte'):
        cell = found[arch, '7.3', level, transition]
        return int(cell['old'], 16), int(cell['new'], 16)

    address = 0x000ffffffffff000
    for transition, old, new in [('r-rw-clean', 0x8000000000000025, 0x8000000000000027),
                                 ('rw-r-dirty', 0x8000000000000867, 0x8400000000000825),
                                 ('accessed-off', 0x8000000000000025, 0x8000000000000005),
                                 ('key', 0x8000000000000025, 0xa800000000000025),
                                 ('r-rx', 0x8000000000000025, 0x0000000000000025)]:
        got = tuple(word & ~address for word in words('x86_64', transition))
        check(got == (old, new), f'words of {transition} on x86', [hex(word) for word in got])
    old, new = words('x86_64', 'none-rw')
    check(old & 0x101 == 0x100 and old & address == ~new & address, 'PROT_NONE on x86 is inverted', hex(old))
    for transition, old, new in [('r-rw-clean', 0x0060000000000fc3, 0x0068000000000fc3),
                                 ('rw-r-dirty', 0x00e8000000000f43, 0x00e0000000000fc3),
                                 ('accessed-on', 0x0060000000000bc3, 0x0060000000000fc3),
                                 ('uffd-wp-off', 0x0460000000000fc3, 0x0060000000000fc3)]:
        got = tuple(word & ~0x0000fffffffff000 for word in words('arm64', transition))
        check(got == (old, new), f'words of {transition} on arm64', [hex(word) for word in got])
    for transition, old, new in [('r-rw-clean', 0xc000000000000104, 0xc000000000000106),
                                 ('soft-dirty-on', 0xc000000000000104, 0xc000000000000304)]:
        got = tuple(word & ~0x000ffffffffff000 for word in words('ppc64', transition))
        check(got == (old, new), f'words of {transition} on ppc', [hex(word) for word in got])
    for arch in LACKS:
        old, new = words(arch, 'same')
        check(old == new, f'same on {arch}', (hex(old), hex(new)))
        check(words(arch, 'rw-empty')[1] == 0, f'empty on {arch}')
        for on, off in [('accessed-on', 'accessed-off'), ('dirty-on', 'dirty-off')]:
            check(words(arch, on) == words(arch, off)[::-1], f'{on} and {off} on {arch}')


def test_machines():
    def outcome(transition, policy, *args):
        found = [cell['outcome'][policy] for key, cell in cells(*args, '--kernel', '7.3').items()
                 if key[2:] == ('pte', transition)]
        return found[0] if len(found) == 1 else found

    x86, arm, ppc, riscv = (['--arch', arch] for arch in ('x86_64', 'arm64', 'ppc64', 'riscv64'))
    for transition, policy, args, want in [
        ('r-rw-clean', 'exact', x86, 'spurious-fault'),
        ('r-rw-clean', 'exact', [*x86, '--amd'], 'none'),
        ('encryption', 'linux', [*x86, '--encryption-bit', '47'], 'missed'),
        ('encryption', 'exact', [*x86, '--encryption-bit', '47'], 'flush'),
        ('encryption', 'linux', [*x86, '--encryption-bit', '47', '--debug-vm'], 'flush'),
        ('encryption', 'linux', x86, []),
        ('shadow-on', 'linux', [*x86, '--shadow-stack'], 'spurious-fault'),
        ('shadow-on', 'exact', [*x86, '--shadow-stack', '--amd'], 'none'),
        ('shadow-on', 'exact', [*x86, '--shadow-stack'], 'spurious-fault'),
        ('shadow-off', 'linux', [*x86, '--shadow-stack'], 'flush'),
        ('shadow-rw', 'linux', [*x86, '--shadow-stack'], 'flush'),
        ('shadow-rw', 'exact', x86, []),
        ('contiguous-on', 'exact', [*arm, '--bbm-level', '0'], 'break-before-make'),
        ('contiguous-on', 'exact', [*arm, '--bbm-level', '1'], 'flush'),
        ('contiguous-on', 'exact', [*arm, '--bbm-level', '2'], 'none'),
        ('contiguous-on', 'linux', [*arm, '--bbm-level', '2'], 'needless'),
        ('r-rw-dirty', 'exact', arm, 'spurious-fault'),
        ('r-rw-dirty', 'exact', [*arm, '--no-fault-invalidation'], 'flush'),
        ('rw-r-clean', 'exact', [*arm, '--hw-dirty'], 'flush'),
        ('dirty-on', 'exact', [*arm, '--hw-dirty'], 'none'),
        ('rx-r', 'exact', [*arm, '--erratum-2645198'], 'break-before-make'),
        ('r-rw-clean', 'linux', [*ppc, '--nest-mmu'], 'missed'),
        ('r-rw-clean', 'exact', [*ppc, '--nest-mmu'], 'break-before-make'),
        ('none-rw', 'exact', riscv, 'spurious-fault'),
        ('none-rw', 'exact', [*riscv, '--no-fault-invalidation'], 'flush'),
        ('none-rw', 'exact', [*riscv, '--no-fault-invalidation', '--svvptc'], 'spurious-fault'),
        ('dirty-on', 'exact', riscv, 'spurious-fault'),
        ('dirty-on', 'exact', [*riscv, '--svadu'], 'none'),
    ]:
        got = outcome(transition, policy, *args)
        check(got == want, f'{transition}, {policy}, {args}', got)


# ---- The other forms.

LABELS = {'none': ('.', '·'), 'spurious-fault': ('fault', 'fault'), 'accessed-unnoted': ('unseen', 'unseen'),
          'flush': ('flush', 'flush'), 'break-before-make': ('break', 'break'), 'needless': ('(flush)', 'needless'),
          'missed': ('MISSED', 'missed')}
SVG, XHTML = '{http://www.w3.org/2000/svg}', '{http://www.w3.org/1999/xhtml}'


def table_of(text):
    """The cells of the table as text: a list of words, row by row."""
    lines = text.split('\n')
    first = next(i for i, line in enumerate(lines) if line == 'protection')
    rows = [line for line in lines[first:lines.index('in all')] if line.startswith(' ')]
    return [word for row in rows for word in row[21:].split()]


def alone(text, what):
    """Refers to nothing outside itself, and runs no script."""
    names = [name for name in re.findall(r'https?://[^"\s<]*', text)
             if name not in ('http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xhtml')]
    check(not names, f'{what} names no address', names)
    foreign = re.findall(r'<(?:script|link|img|iframe|object|image|use)\b|@import|url\(|\bon\w+=|\bsrc=', text)
    check(not foreign, f'{what} is one file', foreign[:3])
    links = re.findall(r'href="([^"]*)"', text)
    check(all(link.startswith('#') for link in links), f'{what} links to itself only', links[:3])


def test_forms():
    for args in ([], ['--arch', 'x86_64', '--encryption-bit', '51', '--shadow-stack'], ['--kernel', '6.1'],
                 ['--arch', 'arm64,riscv64', '--kernel', '6.12'], ['--arch', 'ppc64', '--nest-mmu']):
        with tempfile.TemporaryDirectory() as folder:
            svg, html = pathlib.Path(folder) / 'm.svg', pathlib.Path(folder) / 'm.html'
            result = run('--svg', svg, '--html', html, *args)
            check(result.returncode == 0 and result.stderr == '', f'status, {args}', result)
            picture, page = svg.read_text(), html.read_text()
        check(max(map(len, result.stdout.split('\n'))) <= 120, f'text fits 120 columns, {args}')
        table = table_of(result.stdout)
        check(len(table) > 60, f'there is a table, {args}', len(table))
        alone(picture, 'the picture')
        alone(page, 'the page')
        try:
            drawn, written = ET.fromstring(picture), ET.fromstring(page.replace('<!DOCTYPE html>', ''))
        except ET.ParseError as error:
            check(False, f'well-formed, {args}', error)
            continue
        pictured = {text: label for text, label in LABELS.values()}
        want = [pictured[word] for word in table]
        groups = [g for g in drawn.iter(SVG + 'g')]
        check([g.find(SVG + 'text').text for g in groups] == want, f'the picture says the same, {args}')
        check(all('exact: ' in g.find(SVG + 'title').text for g in groups), f'the picture has reasons, {args}')
        width, height = float(drawn.get('width')), float(drawn.get('height'))
        inside = all(0 <= float(box.get('x')) and float(box.get('x')) + float(box.get('width')) <= width
                     and float(box.get('y')) + float(box.get('height')) <= height
                     for box in drawn.iter(SVG + 'rect') if box.get('x'))
        check(inside, f'nothing lies outside the picture, {args}')

        links = [a for a in written.iter(XHTML + 'a') if a.get('class', '').startswith('cell ')]
        check([a.text for a in links] == want, f'the page says the same, {args}')
        check(all(LABELS[a.get('class').split()[1]][1] == a.text for a in links), f'colours, {args}')
        ids = [element.get('id') for element in written.iter() if element.get('id')]
        check(len(ids) == len(set(ids)), f'ids are unique, {args}')
        panels = {s.get('id'): ''.join(s.itertext()) for s in written.iter(XHTML + 'section')}
        check(all(a.get('href')[1:] in panels for a in links), f'each cell leads to its reason, {args}')
        reason = re.compile('old0x[0-9a-f]{16}.*new0x[0-9a-f]{16}.*so(no )?\\w.*Linux.*exact.*always', re.S)
        check(panels and all(reason.search(text) for text in panels.values()), f'reasons, {args}')

    result = run('--explain', 'r-rw-clean', '--arch', 'x86_64', '--kernel', '7.3')
    for text in ('0x8000000140000025', 'row  3: writes are granted', 'exact: no flush', 'Linux: flush', 'pmd'):
        check(text in result.stdout, f'--explain says {text!r}', result.stdout)
    check(cells('--arch', 'riscv64', '--arch', 'x86_64').keys() == cells('--arch', 'x86_64,riscv64').keys(), 'lists')
    check(run('--help').returncode == 0, '--help')


def test_bad_options():
    for args, text in [
        (['--arch', 'mips'], "--arch: 'mips': it must be one of x86_64, ppc64, arm64, riscv64"),
        (['--arch', ''], "--arch"),
        (['--arch', 'x86_64\x1b[31m'], "'x86_64?[31m'"),
        (['--arch', 'a' * 100000], "...'"),
        (['--kernel', '6.19'], "'6.19': it must be one of 6.1, 6.12, 7.3"),
        (['--kernel', 'bare'], "'bare'"),
        (['--bbm-level', '3'], "--bbm-level: '3': it must be a number from 0 to 2"),
        (['--bbm-level', '-1'], "--bbm-level"),
        (['--bbm-level', '1x'], "'1x'"),
        (['--bbm-level', '99999999999999999999'], 'from 0 to 2'),
        (['--encryption-bit', '52'], "'52': it must be a number from 12 to 51"),
        (['--encryption-bit', '11'], "'11'"),
        (['--encryption-bit', ''], '--encryption-bit'),
        (['--arch', 'arm64', '--amd'], '--amd: means nothing with --arch arm64'),
        (['--arch', 'arm64,riscv64', '--nest-mmu'], '--nest-mmu: means nothing with --arch arm64,riscv64'),
        (['--arch', 'x86_64', '--no-fault-invalidation'], '--no-fault-invalidation: means nothing'),
        (['--arch', 'x86_64', '--svvptc'], '--svvptc'),
        (['--arch', 'ppc64', '--bbm-level', '1'], '--bbm-level: means nothing'),
        (['--explain', 'nonesuch'], "--explain: 'nonesuch': the rows are same, none-rw"),
        (['--explain', 'same', '--json'], '--explain'),
        (['--svg', '/nonexistent/m.svg'], "--svg: '/nonexistent/m.svg': cannot be written"),
        (['--html', '/'], "'/': cannot be written"),
        (['--svg', '/dev/full'], "'/dev/full': cannot be written"),
        (['--svg', ''], '--svg'),
        (['--svg'], '--svg'),
        (['stray'], 'stray'),
        (['--nonesuch\x1b\n'], '--nonesuch??'),
        (['--json=maybe'], 'json'),
    ]:
        result = run(*args)
        shown = ' '.join(args)[:60]
        check(result.returncode == 2 and result.stdout == '', f'status of {shown!r}', result)
        check(text in result.stderr, f'message of {shown!r}', result.stderr[:500])
        one_line = len(result.stderr) < 600 and result.stderr.count('\n') == 1 and '\x1b' not in result.stderr
        check(one_line, f'one line for {shown!r}', repr(result.stderr[:700]))


for test in (test_linux, test_needless, test_words, test_machines, test_forms, test_bad_options):
    test()
print(f'{passed} passed, {failed} failed')
raise SystemExit(1 if failed else 0)
