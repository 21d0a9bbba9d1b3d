#!/usr/bin/env python3
"""ptwalk on memory images made of the snapshots, and on bad input: a message that names file, place and rule, status 2."""

import gzip
import json
import os
import pathlib
import re
import resource
import struct
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get('PTE_BUILD', ROOT / 'build'))
PROGRAM = BUILD / 'examples/ptwalk'
SNAPSHOTS = ROOT / 'tests/data/snapshots'
# For what a walk may take at most; a sanitizer may take its time.
SECONDS = 5 if 'sanitize' not in str(BUILD) else 120
passed = failed = 0


def check(good, what, detail=''):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f'FAILED {what}: {detail}')


def limited():
    # Whatever the input says, half a gigabyte must do. (Sanitizers need their shadow memory.)
    if 'sanitize' not in str(BUILD):
        resource.setrlimit(resource.RLIMIT_DATA, (512 << 20, 512 << 20))


def run(*args):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, timeout=60, preexec_fn=limited)


def cpu_seconds():
    """Of the programs run so far: other than the time of day it does not depend on what else the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def refused(what, *args, saying, also_prints=False):
    """Status 2, one line or more on stderr with all of these words, and no output unless said."""
    result = run(*args)
    words = [saying] if isinstance(saying, str) else saying
    good = result.returncode == 2 and all(word in result.stderr for word in words) and 'Sanitizer' not in result.stderr
    check(good and (also_prints or not result.stdout), what, f'status {result.returncode}: {result.stderr[:500]} {result.stdout[:200]}')


scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
NAME = 'arm64-4k-kpti-s1'  # the smallest
PARTS = ('truth.txt', 'tables.bin', 'ktables.bin')
original = {part: gzip.open(SNAPSHOTS / f'{NAME}.{part}.gz').read() for part in PARTS}


def snapshot(packed=None, **changes):
    """A copy of the snapshot with parts replaced; `packed` replaces gzip data as it is."""
    prefix = folder / f'copy{snapshot.count}'
    snapshot.count += 1
    for part in PARTS:
        key = part.split('.')[0]
        data = gzip.compress(changes.get(key, original[part]), 1)
        if packed and part in packed:
            data = packed[part](data)
        if data is not None:
            pathlib.Path(f'{prefix}.{part}.gz').write_bytes(data)
    return prefix


snapshot.count = 0
truth, tables = original['truth.txt'], original['tables.bin']
check(run(snapshot(), '--check').returncode == 0, 'the copy is good')

# --- gzip
for part in PARTS:
    file = f'{part}.gz'
    refused(f'{part} is missing', snapshot(packed={part: lambda d: None}), saying=[file, 'No such file'])
    refused(f'{part} is empty', snapshot(packed={part: lambda d: b''}), saying=[file, 'byte 0', 'cut short'])
    refused(f'{part} is cut short', snapshot(packed={part: lambda d: d[:len(d) // 2]}), saying=[file, 'cut short'])
    refused(f'{part} lacks its checksum', snapshot(packed={part: lambda d: d[:-4]}), saying=[file, 'cut short'])
    refused(f'{part} is no gzip data', snapshot(packed={part: lambda d: b'no' + d}), saying=[file, 'incorrect header'])
    refused(f'{part} is damaged', snapshot(packed={part: lambda d: d[:-8] + b'abcd' + d[-4:]}), saying=[file, 'incorrect data check'])
    refused(f'{part} has trailing rubbish', snapshot(packed={part: lambda d: d + b'rubbish'}), saying=[file, 'incorrect header'])
bomb = gzip.compress(bytes(80 << 20), 6)
refused('a file that unpacks to far too much', snapshot(packed={'tables.bin': lambda d: bomb}), saying=['tables.bin.gz', 'unpacks to more than'])
os.mkfifo(folder / 'pipe.truth.txt.gz')
refused('a pipe', folder / 'pipe', saying=['pipe.truth.txt.gz', 'not a regular file'])

# --- tables.bin
first = struct.unpack_from('<QII', tables, 16)


def patched(offset, form, *values):
    data = bytearray(tables)
    struct.pack_into(form, data, offset, *values)
    return bytes(data)


for what, data, words in (
    ('wrong magic', b'X' + tables[1:], ['byte 0', 'PTSNAP01']),
    ('no header', tables[:12], ['cut short', 'header']),
    ('too many records', patched(8, '<I', 0xffffffff), ['byte 8', '4294967295 records do not fit']),
    ('one record too many', patched(8, '<I', struct.unpack_from('<I', tables, 8)[0] + 1), ['cut short in record']),
    ('one record too few', patched(8, '<I', struct.unpack_from('<I', tables, 8)[0] - 1), ['more bytes after the last record']),
    ('another page size', patched(12, '<I', 16384), ['page size 16384']),
    ('unaligned address', patched(16, '<Q', first[0] + 4), ['byte 16', 'multiples of 8']),
    ('length 0', patched(24, '<I', 0), ['multiples of 8']),
    ('absurd length', patched(24, '<I', 0xfffffff8), ['is cut short']),
    ('address wraps around', patched(16, '<Q', 0xfffffffffffff800), ['wraps around']),
    ('level 5', patched(28, '<I', 5), ['level 5']),
    ('cut short', tables[:-8], ['cut short']),
):
    refused(f'tables.bin: {what}', snapshot(tables=data), saying=['tables.bin', *words])

# --- truth.txt
lines = truth.split(b'\n')


def edited(pattern, replacement, count=1):
    changed, n = re.subn(pattern, replacement, truth, count, re.M)
    assert n > 0, pattern
    return changed


for what, data, words in (
    ('empty', b'', ['not a truth file']),
    ('another first line', edited(b'^ptsnap 1$', b'ptsnap 2'), ['line 1', 'not a truth file']),
    ('no end', edited(b'^end\n', b''), ['no \'end\' line']),
    ('no newline', truth[:-1], ['the last line has no end']),
    ('cut in the middle', truth[:len(truth) // 2], ['cut short']),
    ('lines after end', truth + b'meta a b\n', ['after \'end\'']),
    ('unknown line', edited(b'^level ', b'levle '), ['unknown kind of line']),
    ('a number that is none', edited(b'^root user .*$', b'root user zebra'), ['no hexadecimal number']),
    ('a number of 65 bits', edited(b'^root user .*$', b'root user 10000000000000000'), ['no hexadecimal number of 64 bits']),
    ('a second root', edited(b'^(root user .*)$', rb'\1\n\1'), ['a second root']),
    ('no root', edited(b'^root kernel .*\n', b''), ['no \'root user\' or no \'root kernel\'']),
    ('levels out of order', edited(b'^level 2 ', b'level 1 '), ['counted down']),
    ('levels that do not meet', edited(b'shift 21', b'shift 22'), ['is not the next level\'s shift']),
    ('an absurd shift', edited(b'shift 39', b'shift 99'), ['99 is more than 63']),
    ('a page size of 1000', edited(b'^meta page_size .*$', b'meta page_size 1000'), ['page_size 1000']),
    ('no page size', edited(b'^meta page_size .*\n', b''), ['before \'meta page_size\'']),
    ('no architecture', edited(b'^meta arch .*\n', b''), ['no \'meta arch\'']),
    ('another architecture', edited(b'^meta arch .*$', b'meta arch vax'), ['no format for arch \'vax\'']),
    ('another address width', edited(b'^meta va_bits .*$', b'meta va_bits 46'), ['46-bit addresses']),
    ('another kernel', edited(b'^meta kernel_release .*$', b'meta kernel_release plan9'), ['does not begin with a version']),
    ('neither endian', edited(b'^meta endian .*$', b'meta endian middle'), ['neither little nor big']),
    ('a backward VMA', edited(b'^vma (\\S+) (\\S+)', rb'vma \2 \1'), ['empty or backwards']),
    ('an unaligned VMA', edited(b'^vma \\S+ ', b'vma 400001 '), ['not aligned']),
    ('VMAs that overlap', edited(b'^vma \\S+ ', b'vma 0 ', 2), ['must ascend']),
    ('bad permissions', edited(b'^(vma \\S+ \\S+) \\S+ ', rb'\1 rwzp '), ['permissions']),
    ('smaps without a number', edited(b'Rss=\\d+', b'Rss=many'), ['no decimal number']),
    ('smaps beyond 64 bits', edited(b'Rss=\\d+', b'Rss=18446744073709551615'), ['more than 2^64 bytes']),
    ('a run that leaves its region', edited(b'^run 0 \\S+', b'run 0 fffffffffffff'), ['leaves its region']),
    ('a run of nothing', edited(b'^run 0 \\S+', b'run 0 0'), ['is empty']),
    ('a gap between runs', edited(b'^run 0 ', b'run 1 '), ['begins at page']),
    ('an enormous region', edited(b'^(region \\S+) \\S+ \\S+', rb'\1 0 fffffffffffff000'), ['more than 16777216 pages']),
    ('too many pages in all', edited(b'^(region .*)', rb'region a 0 800000000 stable\n' * 3 + rb'\1'), ['more than 16777216 pages']),
    ('a region of which nothing is said', edited(b'^region age ', b'region a 0 1000 stable -\nregion age '), ['not all of its pages']),
    ('a run before any region', edited(b'^region softdirty .*\n', b''), ['belongs to a region']),
    ('a scanned range elsewhere', edited(b'^scan \\S+ \\S+', b'scan 0 1000'), ['not in its region']),
    ('a translation elsewhere', edited(b'^qemu \\S+', b'qemu 5'), ['not in its region']),
    ('control characters', edited(b'^level ', b'\x1b[31m\x00 '), ['\'?[31m?\'']),
):
    refused(f'truth.txt: {what}', snapshot(truth=data), '--check', saying=['truth.txt', *words])

# --- QEMU's listing
for what, text, words in (
    ('no number', b'zebra: 0 X--DA--UW\n', ['line 1', 'no hexadecimal number']),
    ('odd flags', b'1000: 2000 X--DA--U?\n', ['line 1', 'can stand there']),
    ('too few flags', b'1000: 2000 X--DA--U\n', ['not of the form']),
    ('descending', b'2000: 2000 X--DA--UW\n1000: 2000 X--DA--UW\n', ['line 2', 'must ascend']),
    ('empty range', b'vaddr\n1000 2000 0 rw-u-ad\n', ['line 2', 'empty']),
):
    prefix = snapshot()
    pathlib.Path(f'{prefix}.info-mem.txt.gz').write_bytes(gzip.compress(text))
    refused(f'info-mem.txt: {what}', prefix, saying=['info-mem.txt.gz', *words])


# --- tables that form a loop, or point elsewhere
def records(data):
    at = 16
    for _ in range(struct.unpack_from('<I', data, 8)[0]):
        phys, length, level = struct.unpack_from('<QII', data, at)
        yield phys, level, data[at + 16:at + 16 + length]
        at += 16 + length


def all_records(name):
    return [r for part in ('tables', 'ktables') for r in records(gzip.open(SNAPSHOTS / f'{name}.{part}.bin.gz').read())]


root = int(re.search(rb'^root user (\S+)', truth, re.M)[1], 16)
slot = 16 + next(at for at in range(0, len(tables), 8) if struct.unpack_from('<Q', tables, at)[0] == root and at % 8 == 0)
refused('the root table is missing', snapshot(tables=patched(slot - 16, '<Q', 0x123456000)), saying=['truth.txt', f'root {root:#x}', 'neither file'])
looping = snapshot(tables=patched(slot + 8, '<Q', root | 3))
refused('a root table that points to itself', looping, saying=['a loop', f'{root:#x}'], also_prints=True)
outside = snapshot(tables=patched(slot + 8, '<Q', 0x777777000 | 3))
refused('a table that is not there', outside, saying=['0x777777000', 'outside the memory'], also_prints=True)
refused('a walk to it', outside, '--va', hex(1 << 39), saying=['0x777777000', 'outside the memory'], also_prints=True)
# A region whose table is not there cannot be checked.
at = next(a for a in range(slot, slot + 4096, 8) if struct.unpack_from('<Q', tables, a)[0] & 3 == 3)
refused('a check of tables that are not there', snapshot(tables=patched(at, '<Q', 0x777777003)), '--check', saying=['address', 'is not in the snapshot'])
check('problems' in json.loads(run(looping, '--json').stdout), 'JSON in spite of a loop')

# --- images
IMAGES = [
    ('x86_64-4level-s1', ['--arch', 'x86_64']),
    ('x86_64-5level-s1', ['--arch', 'x86_64', '--va-bits', 57]),
    ('arm64-4k-s1', ['--arch', 'arm64']),
    ('arm64-4k-max-s1', ['--arch', 'arm64', '--lpa2', '--va-bits', 52]),
    ('arm64-16k-s1', ['--arch', 'arm64', '--page-size', '16K', '--va-bits', 47]),
    ('ppc64-4k-s1', ['--arch', 'ppc64', '--page-size', '4K']),
    ('ppc64-64k-s1', ['--arch', 'ppc64']),
    ('riscv64-sv39-s1', ['--arch', 'riscv64']),
]


def flat(name):
    """A sparse image of physical memory from the lowest table on."""
    parts = all_records(name)
    base = min(r[0] for r in parts)
    path = folder / f'{name}.flat'
    with open(path, 'wb') as file:
        for phys, _, data in parts:
            file.seek(phys - base)
            file.write(data)
    return path, base


def elf(path, segments, big=False, e_type=4, bits=2):
    """A core file as dump-guest-memory writes one: a note, then a PT_LOAD a piece of memory."""
    order = '>' if big else '<'
    offset = 64 + 56 * (len(segments) + 1)
    headers, contents = [struct.pack(order + 'IIQQQQQQ', 4, 0, offset, 0, 0, 0, 0, 0)], []
    for phys, data in segments:
        headers.append(struct.pack(order + 'IIQQQQQQ', 1, 4, offset, 0, phys, len(data), len(data), 0))
        contents.append(data)
        offset += len(data)
    ident = b'\x7fELF' + bytes([bits, 2 if big else 1, 1]) + bytes(9)
    header = ident + struct.pack(order + 'HHIQQQIHHHHHH', e_type, 0x3e, 1, 0, 64, 0, 0, 64, 56, len(headers), 0, 0, 0)
    path.write_bytes(header + b''.join(headers) + b''.join(contents))
    return path


def root_of(name):
    return re.search(r'^root user (\S+)', gzip.open(SNAPSHOTS / f'{name}.truth.txt.gz', 'rt').read(), re.M)[1]


for name, options in IMAGES:
    expected = json.loads(run(SNAPSHOTS / name, '--json').stdout)['ranges']
    options = [*options, '--root', root_of(name), '--kernel-version', '6.12', '--json']
    path, base = flat(name)
    result = run('--image', path, '--base', hex(base), *options)
    same = result.returncode == 0 and json.loads(result.stdout)['ranges'] == expected
    check(same, f'{name} as a flat image', f'status {result.returncode} {result.stderr[:500]}')
    path.unlink()
    core = elf(folder / f'{name}.core', [(r[0], r[2]) for r in all_records(name)], big=name.startswith('ppc'))
    result = run('--image', core, *options)
    same = result.returncode == 0 and json.loads(result.stdout)['ranges'] == expected
    check(same, f'{name} as a core file', f'status {result.returncode} {result.stderr[:500]}')
    core.unlink()

# Tables in pieces: of adjacent segments, and where one ends in the middle of an entry.
name, options = 'ppc64-64k-s1', ['--arch', 'ppc64', '--root', root_of('ppc64-64k-s1'), '--kernel-version', '6.12', '--json']
expected = json.loads(run(SNAPSHOTS / name, '--json').stdout)['ranges']
for size in (4096, 1004):
    pieces = [(phys + at, data[at:at + size]) for phys, _, data in all_records(name) for at in range(0, len(data), size)]
    core = elf(folder / 'pieces.core', pieces, big=True)
    result = run('--image', core, *options)
    check(result.returncode == 0 and json.loads(result.stdout)['ranges'] == expected, f'segments of {size} bytes', result.stderr[:500])
core = elf(folder / 'pieces.core', [piece for piece in pieces if piece[0] != pieces[1][0]], big=True)
result = run('--image', core, *options)
check(result.returncode == 2 and 'outside the memory' in result.stderr, 'a piece is missing', result.stderr[:500])
core.unlink()

# Entries in swap form: page frame number, accessed and dirty of those that hold them; null where the format has no bit.
def x86_swap(type_, offset):
    return type_ << 59 | (~offset & (1 << 50) - 1) << 9


def one_entry(word, *options, levels=4):
    words = [(level + 1 << 12) | 0x67 for level in range(levels - 1)] + [word]
    image.write_bytes(b''.join(struct.pack('<512Q', word, *[0] * 511) for word in words))
    result = run('--image', image, '--arch', 'x86_64', '--root', '0', *options)
    check(result.returncode == 0, f'{word:x}', result.stderr)
    return result.stdout


image = folder / 'image'
for word, version, text, facts in (
    (0xf7ffe7fffdb97400, '6.12', 'migration (write), PFN 0x12345', dict(pfn=0x12345, accessed=True, dirty=True)),
    (x86_swap(28, 0x12345), '7.3', 'migration (read), PFN 0x12345', dict(pfn=0x12345, accessed=False, dirty=False)),
    (x86_swap(29, 0x12345 | 1 << 34), '7.3', 'migration (read, exclusive), PFN 0x12345', dict(pfn=0x12345, accessed=True, dirty=False)),
    (x86_swap(27, 0x777), '7.3', 'hwpoison, PFN 0x777', dict(pfn=0x777, parked_kind='hwpoison')),
    (x86_swap(31, 5), '7.3', 'marker: uffd-wp, guard', dict(pfn=None, uffd_wp=True)),
    (x86_swap(31, 4), '6.12', 'marker: none known', dict(pfn=None, uffd_wp=False)),
    (x86_swap(3, 9), '7.3', 'swap 3, offset 0x9', dict(pfn=None, swap={'type': 3, 'offset': 9, 'what': None})),
):
    printed = one_entry(word, '--kernel-version', version)
    check(text + '\n' in printed, text, printed)
    if 'accessed' in facts:
        notes = ('A' if facts['accessed'] else '-') + ('D' if facts['dirty'] else '-')
        check(f' {notes}----  migration' in printed, f'{text}: notes', printed)
    found, = json.loads(one_entry(word, '--kernel-version', version, '--json'))['ranges']
    check(all(found.get(key, 'nothing') == value for key, value in facts.items()), f'{text} as JSON', found)
found, = json.loads(one_entry(x86_swap(30, 0x12345 | 1 << 40), '--va-bits', 57, '--json', levels=5))['ranges']
check(found['pfn'] == 0x12345 and found['accessed'] and not found['dirty'], 'a migration entry with five levels', found)
found, = json.loads(one_entry(0x12345067, '--json'))['ranges']
check(found['pfn'] == 0x12345 and found['pkey'] == 0 and found['soft_dirty'] is False and found['contiguous'] is None, 'a page of x86', found)
found, = json.loads(one_entry(0x12345067, '--json', '--kernel-version', 'bare'))['ranges']
check(found['soft_dirty'] is None and found['uffd_wp'] is None and found['special'] is None, 'a page without Linux', found)
found = json.loads(run(SNAPSHOTS / 'arm64-4k-s1', '--json').stdout)['ranges'][0]
check(found['soft_dirty'] is None and found['uffd_wp'] is False and found['special'] is False, 'a page of arm64, 6.12', found)

small = [(0x1000, struct.pack('<512Q', 0x2003, 0x1003, *[0] * 510)), (0x2000, bytes(4096))]
good = elf(folder / 'good.core', small)
arm = ['--arch', 'arm64', '--root', '0x1000']
refused('a core whose root points to itself', '--image', good, *arm, saying=['good.core', 'a loop', '0x1008'], also_prints=True)
data = good.read_bytes()


def broken(name, offset, form, value):
    copy = bytearray(data)
    struct.pack_into(form, copy, offset, value)
    path = folder / name
    path.write_bytes(copy)
    return path


load = 64 + 56  # the first PT_LOAD
for name, offset, form, value, words in (
    ('offset.core', load + 8, '<Q', 1 << 62, ['program header 1', 'beyond the end']),
    ('size.core', load + 32, '<Q', (1 << 64) - 8, ['program header 1', 'beyond the end']),
    ('wrap.core', load + 24, '<Q', (1 << 64) - 8, ['program header 1', 'wraps around']),
    ('type.core', 16, '<H', 2, ['e_type 2', 'not a core file']),
    ('class.core', 4, 'B', 1, ['ELF']),
    ('phoff.core', 32, '<Q', 1 << 60, ['ELF header']),
    ('phnum.core', 56, '<H', 0, ['no PT_LOAD']),
):
    refused(f'ELF: {name}', '--image', broken(name, offset, form, value), *arm, saying=[name, *words])
for n in (4, 20, 63, 64, 100, len(data) - 1):
    path = folder / 'short.core'
    path.write_bytes(data[:n])
    refused(f'ELF: {n} bytes', '--image', path, *arm, saying='short.core')
refused('a core with --base', '--image', good, *arm, '--base', '0x1000', saying=['good.core', '--base'])

image = folder / 'image'
image.write_bytes(struct.pack('<512Q', 0x1000 | 3, 0xffff003, 0, 0x2000 | 3, *[0] * 508) + bytes(8192))
refused('an image whose tables point outside it', '--image', image, '--arch', 'arm64', '--root', '0', saying=['0xffff000', 'outside', 'at 0x8'], also_prints=True)
refused('a root outside', '--image', image, '--arch', 'arm64', '--root', '0x3000', saying=['image', 'root 0x3000', 'outside the memory'])
refused('a root at the end', '--image', image, '--arch', 'arm64', '--root', '0x2008', saying=['root 0x2008', 'outside the memory'])
refused('a root in the middle of an entry', '--image', image, '--arch', 'arm64', '--root', '4', saying=['root 0x4', 'multiple of 8'])
refused('a base that wraps around', '--image', image, '--arch', 'arm64', '--root', '0', '--base', 'fffffffffffff000', saying=['wraps around'])
image.write_bytes(b''.join(struct.pack('<512Q', *[(0x1000 * (i % 4) + 0x1000) | 3 for i in range(512)]) for _ in range(8)))
refused('tables that point to one another, a tree of 512 to the power of 4', '--image', image, '--arch', 'arm64', '--root', '0', saying='loop', also_prints=True)
image.write_bytes(b''.join(struct.pack('<512Q', *[0x1000 * t | 3] * 512) for t in range(1, 5)))
refused('the same without a loop', '--image', image, '--arch', 'arm64', '--root', '0', saying=['image: address', 'more tables than', '--max-table-bytes'], also_prints=True)
refused('a limit', '--image', image, '--arch', 'arm64', '--root', '0', '--max-table-bytes', 3 * 4096, saying='more tables than 12288 bytes', also_prints=True)


def sparse(tables, size):
    with open(image, 'wb') as file:
        for at, words in tables.items():
            file.seek(at)
            file.write(struct.pack(f'<{len(words)}Q', *words))
        file.truncate(size)


# Few tables, each used many times: bounded by time, whatever the tables' size, and by memory, whatever is printed.
leaves = [(i * 7919 % 65536) << 12 | 0x67 | (i & 1) << 63 for i in range(512)]
for what, tables, options in (
    ('64K tables', {0x10000: [0x20003] * 64, 0x20000: [0x30003] * 8192, 0x30000: [0] * 8192}, ['--arch', 'arm64', '--page-size', '64K', '--root', '10000']),
    ('4K tables', {0x1000: [0x2067] * 512, 0x2000: [0x3067] * 512, 0x3000: [0x4067] * 512, 0x4000: [0] * 512}, ['--arch', 'x86_64', '--root', '1000']),
):
    sparse(tables, 100 << 20)
    start = cpu_seconds()
    refused(f'{what} used many times', '--image', image, *options, saying=[f'{image}: address 0x', 'more tables than', 'bytes; --max-table-bytes'], also_prints=True)
    check(cpu_seconds() - start < SECONDS, f'{what}: in time', f'{cpu_seconds() - start:.1f} s')
# Millions of ranges; run() gives half a gigabyte of memory.
sparse({0x1000: [0x2067] * 512, 0x2000: [0x3067] * 512, 0x3000: [0x4067] * 512, 0x4000: leaves}, 0x5000)
with open(folder / 'many.json', 'wb') as out:
    start = cpu_seconds()
    result = subprocess.run([PROGRAM, '--image', image, '--arch', 'x86_64', '--root', '1000', '--json'], stdout=out, stderr=subprocess.PIPE, text=True, preexec_fn=limited)
    check(result.returncode == 2 and 'more tables than' in result.stderr, 'millions of ranges as JSON', f'{result.returncode} {result.stderr[:300]}')
    check(cpu_seconds() - start < 4 * SECONDS, 'millions of ranges: in time', f'{cpu_seconds() - start:.1f} s')
with open(folder / 'many.json') as file:
    first = [file.readline() for _ in range(40)]
    ranges = [line for line in first if line.startswith('  {"start"')]
    check(json.loads(ranges[0].rstrip(',\n'))['size'] == 4096, 'one range a line', first)
(folder / 'many.json').unlink()
part = run('--image', image, '--arch', 'x86_64', '--root', '1000', '--json', '--max-table-bytes', 4 * 4096)
check(part.returncode == 2 and len(json.loads(part.stdout)['ranges']) > 500, 'JSON of a walk that was given up', part.stderr)
image.write_bytes(b'')
refused('an empty image', '--image', image, *arm, saying=['image', 'empty'])
refused('a device as image', '--image', '/dev/zero', *arm, saying=['/dev/zero', 'not a regular file'])
refused('a folder as image', '--image', folder, *arm, saying='not a regular file')
image.write_bytes(os.urandom(1 << 16))
for arch in ('x86_64', 'arm64', 'ppc64', 'riscv64'):
    for half in ([], ['--kernel']):
        result = run('--image', image, '--arch', arch, '--root', '0', *half)
        check(result.returncode in (0, 2), f'random memory as {arch} {half}', f'{result.returncode} {result.stderr[:300]}')

# --- options
refused('nothing to walk', saying='name a snapshot')
refused('both', SNAPSHOTS / NAME, '--image', image, *arm, saying='name a snapshot')
refused('no such snapshot', folder / 'none', saying=['none.truth.txt.gz', 'No such file'])
refused('no root', '--image', image, '--arch', 'arm64', saying='needs --root')
refused('no such option', '--frobnicate', saying='--frobnicate')
refused('an architecture that is not known', '--image', image, '--arch', 'vax', '--root', '0', saying=['--arch', "'vax'"])
refused('a kernel that is not known', '--image', image, *arm, '--kernel-version', '2.4', saying=['--kernel-version', "'2.4'", '6.1, 6.12, 7.3 and bare'])
refused('a page size that is not known', '--image', image, *arm, '--page-size', '8K', saying=['--page-size', "'8K'"])
refused('a page size that arch does not have', '--image', image, '--arch', 'x86_64', '--root', '0', '--page-size', '16K', saying=['--page-size', '16K', 'x86_64 has base pages of 4K'])
refused('an address width that arch does not have', '--image', image, *arm, '--va-bits', '47', saying=['--va-bits', '47', '48, 39'])
for bits in ('0', '-1', '128', 'many', '99999999999999999999'):
    refused(f'--va-bits {bits}', '--image', image, *arm, f'--va-bits={bits}', saying=['--va-bits', 'it must be a number from 36 to 57'])
refused('LPA2 with 64K pages', '--image', image, *arm, '--page-size', '64K', '--lpa2', saying='--lpa2')
refused('LPA with 4K pages', '--image', image, *arm, '--lpa', saying='--lpa')
refused('LPA2 on x86', '--image', image, '--arch', 'x86_64', '--root', '0', '--lpa2', saying='arm64 only')
for size in ('0', '-1', '4K', '18446744073709551616'):
    refused(f'--max-table-bytes {size}', SNAPSHOTS / NAME, f'--max-table-bytes={size}', saying=['--max-table-bytes', 'it must be a number from 1'])
for option in ('--kernel', '--va=1000', '--max-table-bytes=4096'):
    refused(f'--check with {option}', SNAPSHOTS / NAME, '--check', option, saying=['--check', option.split('=')[0]])
refused('--va with --max-table-bytes', SNAPSHOTS / NAME, '--va', '1000', '--max-table-bytes', '4096', saying=['--va', '--max-table-bytes'])
refused('an empty address', SNAPSHOTS / NAME, '--va', '', saying=['--va', 'empty'])
for option in ('--base', '--page-size', '--va-bits', '--kernel-version', '--max-table-bytes', '--root', '--arch'):
    refused(f'an empty {option}', '--image', image, *arm[:2 if option == '--root' else 4], option, '', saying=option)
check(run().stderr.count('ptwalk:') == 1, 'the program names itself once', run().stderr)
check(run('--image', image, '--arch', 'arm64').stderr.startswith('ptwalk: --image: needs --root'), 'what is needed')
for number in ('', 'zebra', '0x', '-1', '1.5', '0x10000000000000000', '0x1 '):
    refused(f'--va {number!r}', SNAPSHOTS / NAME, f'--va={number}', saying='--va') if number else None
    refused(f'--root {number!r}', '--image', image, '--arch', 'arm64', f'--root={number}', saying='--root')
check(run('--help').returncode == 0 and '--image' in run('--help').stdout, '--help')

scratch.cleanup()
print(f'{passed} passed, {failed} failed')
