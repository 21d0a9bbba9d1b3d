#!/usr/bin/env python3
"""ptwalk on the snapshots: --check finds nothing wrong with any of them, and finds what is then made wrong."""

import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get('PTE_BUILD', ROOT / 'build'))
PROGRAM = BUILD / 'examples/ptwalk'
SNAPSHOTS = ROOT / 'tests/data/snapshots'
# 2 s for a check; a sanitizer may take its time.
SECONDS = 2 if 'sanitize' not in str(BUILD) else 60
passed = failed = 0


def check(good, what, detail=''):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f'FAILED {what}: {detail}')


def run(*args):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, timeout=300)


def output_of(*args):
    result = run('--json', *args)
    if result.returncode not in (0, 1):
        raise RuntimeError(f'{args}: status {result.returncode}: {result.stderr}')
    return json.loads(result.stdout)


def is_subset(part, whole):
    return all(whole.get(key) == value for key, value in part.items())


# The kinds of comparison that every snapshot must have some of, and how many in all. More is welcome.
ALWAYS = ['levels', 'pages: present', 'pages: swap', 'pages: none', 'pages: uffd-wp', 'pages: permissions', 'pages: PAGEMAP_SCAN',
          'regions:', 'VMAs: young', 'VMAs: dirty', 'VMAs: mapped', 'VMAs: hugetlb', 'VMAs: swapped', 'VMAs: huge', "QEMU's"]

snapshots = sorted(path.name.removesuffix('.truth.txt.gz') for path in SNAPSHOTS.glob('*.truth.txt.gz'))
check(len(snapshots) == 14, 'there are 14 snapshots', snapshots)

# --- nothing wrong
total = collections.Counter()
for name in snapshots:
    start = time.monotonic()
    result = run(SNAPSHOTS / name, '--check', '--json')
    seconds = time.monotonic() - start
    check(result.returncode == 0, f'{name}: no mismatch', result.stdout[:3000] + result.stderr)
    check(seconds < SECONDS, f'{name}: in time', f'{seconds:.2f} s')
    report = json.loads(result.stdout)
    check(report['mismatches'] == 0, f'{name}: none counted')
    for kind, numbers in report['compared'].items():
        total[kind] += numbers['compared']
        check(numbers['mismatches'] == 0, f'{name}: {kind}', numbers)
    for kind in ALWAYS:
        check(any(k.startswith(kind) and n['compared'] > 0 for k, n in report['compared'].items()), f'{name} has {kind}')
    # What the program that took the snapshot counted, with another walk.
    truth = gzip.open(SNAPSHOTS / f'{name}.truth.txt.gz', 'rt').read()
    stated = dict(item.split('=') for line in truth.splitlines() if line.startswith('meta check') for item in line.split()[2:])
    compared = {kind.split(':')[1].split(',')[0].strip(): n['compared'] for kind, n in report['compared'].items() if ':' in kind}
    pages = sum(report['compared'][f'pages: {k}']['compared'] for k in ('present, PFN', 'swap type and offset', 'none'))
    check(pages == int(stated['pages']), f'{name}: all pages', f'{pages}, not {stated["pages"]}')
    qemu = report['compared']["QEMU's translations"]['compared'] + report['apart'].get('QEMU refuses what user mode cannot read', 0)
    check(qemu == int(stated['qemu']), f'{name}: all of QEMU\'s translations', f'{qemu}, not {stated["qemu"]}')
    check(report['apart'].get('QEMU refuses what user mode cannot read', 0) == int(stated.get('qemu_denied', 0)), f'{name}: as often refused')
check(total['pages: present, PFN'] > 3_000_000, 'three million pages', total)
check(total["QEMU's listing of all leaves"] > 60_000 and total['kernel pages: its linear map of RAM'] > 5_000_000, 'kernel halves', total)
check(total['VMAs: young, smaps Referenced'] + total['VMAs: dirty, smaps *_Dirty'] > 3495, 'sums of young and dirty', total)

# --- contiguous groups
groups = {name: output_of(SNAPSHOTS / name, '--check')['groups'] for name in snapshots}
check(groups['arm64-4k-s1'] == {'16 pte entries': 337, '16 pmd entries': 2}, '337 groups of 16', groups)
check(groups['arm64-16k-s1'] == {'128 pte entries': 82}, 'groups of 128', groups)
check(groups['riscv64-sv39-s1'] == {'16 pte entries': 2}, 'NAPOT groups', groups)
check(groups['x86_64-4level-s1'] == {} and groups['ppc64-4k-s1'] == {}, 'no groups elsewhere', groups)

# The region of which only some blocks of 64K were touched: in hardware one entry of 16 has the accessed bit.
for name in ('arm64-4k-max-s1', 'arm64-4k-max-lpa2off-s1'):
    ranges = output_of(SNAPSHOTS / name)['ranges']
    inside = [r for r in ranges if 0x1145e00000 <= int(r['start'], 16) < 0x1145f80000]
    young = sum(r['size'] for r in inside if r['accessed'])
    check(young == 960 << 10, f'{name}: 960 kB of age_mthp64 are referenced', f'{young >> 10} kB')
    check(all(r['items'] == 16 and r['contiguous'] for r in inside), f'{name}: age_mthp64 is groups', inside)

# --- what a range and a walk say
ranges = output_of(SNAPSHOTS / 'arm64-4k-s1')
check(is_subset({'format': 'arm64-4k', 'os': '6.12', 'page_size': 4096, 'va_bits': 48}, ranges['tree']), 'what tree', ranges['tree'])
ends = [(int(r['start'], 16), int(r['end'], 16)) for r in ranges['ranges']]
check(all(a < b for a, b in ends) and all(a[1] <= b[0] for a, b in zip(ends, ends[1:])), 'ranges ascend and do not overlap')
check(all(r['state'] != 'empty' for r in ranges['ranges']), 'no empty ranges')
kinds = {r['parked_kind'] for r in ranges['ranges']}
check({'prot_none', 'swap', 'hwpoison', 'marker', None} == kinds, 'kinds of parked entries', kinds)
for name in snapshots:
    kernel = run(SNAPSHOTS / name, '--kernel')
    check(kernel.returncode == 0 and len(kernel.stdout.splitlines()) > 5, f'{name}: the kernel half', kernel.stderr)

walk = output_of(SNAPSHOTS / 'arm64-4k-s1', '--va', '0x1145e00123')
check([s['level'] for s in walk['steps']] == ['pgd', 'pud', 'pmd', 'pte'] and walk['phys'] == '0x41f50123', 'a walk', walk)
check(is_subset({'items': 16, 'start': '0x1145e00000', 'end': '0x1145e10000'}, walk['found']), 'its group', walk['found'])
text = run(SNAPSHOTS / 'arm64-4k-s1', '--va', '1145e00123').stdout
check('pte x16' in text and '0x41f50123' in text, 'a walk as text', text)
for va, end in (('0x1000', 'empty'), ('0x8000000000000000', 'not_canonical')):
    check(output_of(SNAPSHOTS / 'x86_64-4level-s1', '--va', va)['end'] == end, f'{va} is {end}')
check(output_of(SNAPSHOTS / 'x86_64-4level-s1', '--va', 'ffff888000000000')['end'] == 'leaf', 'a kernel address')


# With two root tables the address chooses, and what is asked for must fit.
for name, user, kernel in (('arm64-4k-s1', '0x1145e00123', '0xffff800008000000'), ('ppc64-64k-s1', '0x1000', '0xc000000000000000'),
                           ('x86_64-4level-pti-s1', '0x1000', '0xffffffff81000000')):
    roots = dict(re.findall(r'^root (\w+) (\S+)', gzip.open(SNAPSHOTS / f'{name}.truth.txt.gz', 'rt').read(), re.M))
    check(output_of(SNAPSHOTS / name, '--va', user)['root'] == '0x' + roots['user'], f'{name}: the root for {user}')
    for options in ([], ['--kernel']):
        walk = output_of(SNAPSHOTS / name, '--va', kernel, *options)
        check(walk['root'] == '0x' + roots['kernel'], f'{name}: the root for {kernel} {options}', walk)
    result = run(SNAPSHOTS / name, '--kernel', '--va', user)
    good = result.returncode == 2 and not result.stdout and f'--kernel: --va {user}: the address lies in the user\'s half' in result.stderr
    check(good, f'{name}: a user address in the kernel half', f'{result.returncode} {result.stderr}')


# --- what is made wrong is found
def records(data):
    """(physical address, offset of the table's bytes, length) of each record of a tables.bin."""
    at = 16
    for _ in range(struct.unpack_from('<I', data, 8)[0]):
        phys, length, _ = struct.unpack_from('<QII', data, at)
        yield phys, at + 16, length
        at += 16 + length


def with_entry(name, va, change):
    """A copy of the snapshot where the entry that the walk of va ends at is change(word)."""
    slot = int(output_of(SNAPSHOTS / name, '--va', hex(va))['steps'][-1]['slot'], 16)
    copy = pathlib.Path(tempfile.mkdtemp(dir=scratch)) / name
    for part in ('ktables.bin.gz', 'truth.txt.gz'):
        shutil.copy(SNAPSHOTS / f'{name}.{part}', f'{copy}.{part}')
    data = bytearray(gzip.open(SNAPSHOTS / f'{name}.tables.bin.gz').read())
    order = '>Q' if name.startswith('ppc') else '<Q'
    for phys, offset, length in records(data):
        if phys <= slot < phys + length:
            at = offset + slot - phys
            struct.pack_into(order, data, at, change(struct.unpack_from(order, data, at)[0]))
    with gzip.open(f'{copy}.tables.bin.gz', 'wb', 1) as file:
        file.write(data)
    return copy


def first_page(name, region, operations):
    """The first page of the region to which the program did that."""
    start = None
    for line in gzip.open(SNAPSHOTS / f'{name}.truth.txt.gz', 'rt'):
        words = line.split()
        if words[0] == 'region':
            start = int(words[2], 16) if words[1] == region else None
            page_size = sizes[name]
        elif words[0] == 'run' and start is not None and words[6] == operations:
            return start + int(words[1], 16) * page_size
    raise RuntimeError(f'{name}: no page of {region} with {operations}')


sizes = collections.defaultdict(lambda: 4096, {'arm64-16k-s1': 16384, 'arm64-16k-max-s1': 16384, 'ppc64-64k-s1': 65536})
CHANGES = [
    # snapshot, region, operations, change, what must then differ
    ('x86_64-4level-s1', 'rw_anon', 'w', lambda w: w ^ 0x1000, 'pages: present, PFN'),
    ('x86_64-4level-s1', 'rw_anon', 'w', lambda w: 0, 'pages: present, PFN'),
    ('x86_64-4level-s1', 'rw_anon', '-', lambda w: 0x8000000003521867, 'pages: present, PFN'),
    ('x86_64-4level-s1', 'swap', 'ws', lambda w: w ^ 1 << 9, 'pages: swap type and offset'),
    ('x86_64-4level-s1', 'swap', 'ws', lambda w: w ^ 1 << 59, 'pages: swap type and offset'),
    ('x86_64-4level-s1', 'softdirty', 'w', lambda w: w ^ 1 << 11, 'pages: soft-dirty'),
    ('x86_64-4level-s1', 'uffd_wp_async', 'wp', lambda w: w ^ 1 << 10, 'pages: uffd-wp'),
    ('x86_64-4level-s1', 'ro_anon', 'wm', lambda w: w | 2, 'pages: permissions and the VMA\'s'),
    ('x86_64-4level-s1', 'rw_anon', 'w', lambda w: w ^ 1 << 63, 'pages: permissions and the VMA\'s'),
    ('x86_64-4level-s1', 'rw_anon', 'w', lambda w: w ^ 1 << 60, 'pages: protection key and the VMA\'s'),
    ('x86_64-4level-s1', 'rw_anon', 'w', lambda w: w | 0x18, 'pages: memory type of RAM'),
    ('x86_64-4level-s1', 'age', 'w', lambda w: w | 0x20, 'VMAs: young, smaps Referenced'),
    ('x86_64-4level-s1', 'rw_anon', 'w', lambda w: w & ~0x40, 'VMAs: dirty, smaps *_Dirty'),
    ('x86_64-4level-s1', 'ro_anon', 'wm', lambda w: w & ~(1 << 58), 'VMAs: dirty, smaps *_Dirty'),
    ('arm64-4k-s1', 'age_mthp64', 'w', lambda w: w & ~(1 << 52), 'contiguous entries: in whole groups'),
    ('arm64-4k-s1', 'protnone', 'wm', lambda w: w | 0x41, 'pages: permissions and the VMA\'s'),
    ('arm64-4k-s1', 'rw_anon', 'w', lambda w: w & ~(1 << 51 | 1 << 55) | 1 << 7, 'VMAs: dirty, smaps *_Dirty'),
    ('arm64-4k-s1', 'devmem', '-', lambda w: w ^ 1 << 12, 'pages: address of device memory'),
    ('ppc64-4k-s1', 'protnone', 'wm', lambda w: w | 4, 'pages: permissions and the VMA\'s'),
    ('ppc64-64k-s1', 'rw_anon', 'w', lambda w: w ^ 0x10000, 'pages: present, PFN'),
    ('ppc64-64k-s1', 'softdirty', 'w', lambda w: w ^ 0x200, 'pages: soft-dirty'),
    ('riscv64-sv39-s1', 'rw_anon', 'w', lambda w: w & ~0x80, 'VMAs: dirty, smaps *_Dirty'),
    ('riscv64-sv39-s1', 'exec_rx', 'wm', lambda w: w & ~8, 'pages: permissions and the VMA\'s'),
]
with tempfile.TemporaryDirectory() as scratch:
    for name, region, operations, change, kind in CHANGES:
        prefix = with_entry(name, first_page(name, region, operations), change)
        result = run(prefix, '--check', '--json')
        what = f'{name}: a changed entry of {region}: {kind}'
        check(result.returncode == 1, what, f'status {result.returncode} {result.stderr}')
        if result.returncode == 1:
            numbers = json.loads(result.stdout)['compared'][kind]
            check(numbers['mismatches'] > 0 and numbers['first'], what, result.stdout[:2000])

print(f'{passed} passed, {failed} failed')
