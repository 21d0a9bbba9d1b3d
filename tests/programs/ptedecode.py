"""ptedecode on entries that real kernels wrote, on those of public bug reports, on words made by hand, on bad input."""

import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(os.environ.get('PTE_BUILD', ROOT / 'build')) / 'examples/ptedecode'
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


def decode(*args):
    """What ptedecode --json says: a list of objects."""
    result = run('--json', *args)
    if result.returncode != 0:
        raise RuntimeError(f'{args}: status {result.returncode}: {result.stderr}')
    return json.loads(result.stdout)


def field(d, low):
    """The value of the field that begins at bit `low`."""
    return next(f['value'] for f in d['fields'] if f['bits'].split(':')[-1] == str(low))


def bit(d, n):
    return int(d['word'], 16) >> n & 1


def readings(d):
    return ' | '.join(f'{a["given"]}: {a["reading"]}' for a in d['alternatives'])


# ---- Rows of samples.txt: what the kernel says of the page, and what the row's name says of the entry.

SNAPSHOT_OPTIONS = {
    'x86_64-4level': ['--arch', 'x86_64', '--va-bits', '48'],
    'arm64-4k': ['--arch', 'arm64', '--page-size', '4K'],
    'arm64-4k-max': ['--arch', 'arm64', '--page-size', '4K', '--lpa2'],
    'arm64-16k': ['--arch', 'arm64', '--page-size', '16K'],
    'ppc64-64k': ['--arch', 'ppc64', '--page-size', '64K'],
    'ppc64-4k': ['--arch', 'ppc64', '--page-size', '4K'],
    'riscv64-sv39': ['--arch', 'riscv64', '--va-bits', '39'],
}

# How the name of a row begins or, with '...', what is in it; and what then holds.
NAMED = {
    'anon rw, written': dict(write=True, dirty=True, accessed=True),
    'anon rw, only read': dict(write=False, dirty=False, accessed=True, special=True),
    'written, then mprotect R': dict(write=False, dirty=True),
    'rw->R->rw': dict(write=True, dirty=True),
    'written, clear_refs 1': dict(accessed=False, dirty=True),
    'same, reread: young': dict(accessed=True),
    'COW after fork, shared': dict(write=False, dirty=True),
    'COW after fork, parent': dict(write=True, dirty=True),
    'R+X': dict(write=False, exec=True),
    'RWX written': dict(read=True, write=True, exec=True, dirty=True),
    'X only': dict(exec=True, write=False),
    'shared anon, read': dict(dirty=False, write=True),
    'shared anon, written': dict(dirty=True, write=True),
    'tmpfs shared PROT_READ': dict(write=False, dirty=False),
    'tmpfs private rw, read': dict(write=False, dirty=False),
    'MADV_FREE then': dict(dirty=True),
    'swapped out': dict(parked_kind='swap', exclusive=True),
    'uffd-wp, present': dict(uffd_wp=True, write=False),
    'uffd-wp, zero page': dict(uffd_wp=True, special=True),
    'uffd-wp, swapped out': dict(uffd_wp=True, parked_kind='swap'),
    'uffd-wp marker': dict(uffd_wp=True, parked_kind='marker'),
    'uffd-wp lifted': dict(uffd_wp=False, write=True, dirty=True),
    'uffd-wp on shmem': dict(uffd_wp=True, write=False),
    'UFFDIO_POISON marker': dict(parked_kind='marker'),
    'hwpoison entry': dict(parked_kind='hwpoison'),
    'PMD THP written': dict(write=True, dirty=True, accessed=True),
    'huge zero page': dict(write=False, dirty=False),
    'PMD THP, mprotect R': dict(write=False),  # 6.12 on x86 forgets that it was dirty
    'PMD THP, shared': dict(write=False),
    'PMD THP, uffd-wp': dict(uffd_wp=True, write=False),
    'PMD THP, old': dict(accessed=False),
    'THP split by mprotect': dict(write=False, dirty=True),
    'mTHP 64K old': dict(dirty=True),
    '/dev/mem device': dict(special=True, present=True),
    'pkey (k1=2': dict(pkey=2),
    'pkey, PROT_NONE': dict(pkey=3),
}
SIZES = {'64K': 1 << 16, '2M': 2 << 20, '32M': 32 << 20, '1G': 1 << 30}
DEVICES = {'x86_64': ('0xfed00000', 'UC-'), 'arm64': ('0x9010000', 'Device-nGnRnE'), 'riscv64': ('0x101000', 'IO')}
LACKS = {'x86_64': {'contiguous'}, 'arm64': {'soft_dirty'}, 'ppc64': {'uffd_wp', 'contiguous', 'global', 'pkey'},
         'riscv64': {'soft_dirty', 'uffd_wp', 'pkey'}}


def sample_rules(snapshot, kind, pagemap, perms, d):
    """What must hold of a row's entry, as (rule, holds)."""
    arch = d['arch']
    present, swapped = pagemap >> 63 & 1, pagemap >> 62 & 1
    page = d['page_size']
    if present:
        pfn = pagemap & (1 << 55) - 1
        yield 'present', d['present'] and not d['swap']
        yield 'pfn', d['pfn'] == pfn & ~(d['size'] // page - 1)
        yield 'phys', int(d['phys'], 16) == d['pfn'] * page
        yield 'memory', d['memory_type'] in ('WB', 'Normal', 'Normal-Tagged', 'normal', 'PMA')
        # What can be executed can be read too, on CPUs that have no pages for execution only.
        readable = perms.replace('-', 'r', 1) if 'x' in perms else perms
        yield 'permissions of the vma', not any(d[r] and d['user'] and p == '-'
                                                for r, p in zip(('read', 'write', 'exec'), readable))
    elif swapped:
        yield 'not present', not d['present'] and not d['hardware_valid'] and d['state'] == 'parked'
        yield 'swap type', d['swap'] and d['swap']['type'] == pagemap & 31
        yield 'swap offset', d['swap'] and d['swap']['offset'] == pagemap >> 5 & (1 << 50) - 1
        yield 'no permissions', [d[k] for k in ('read', 'write', 'exec', 'user')] == [None] * 4
    else:
        yield 'device', (d['phys'], d['memory_type']) == DEVICES[arch]
    yield 'no reserved bits', not d['reserved_set']
    yield 'uffd-wp', bool(d['uffd_wp']) == bool(pagemap >> 57 & 1)
    # A vma may be soft-dirty as a whole; the entry can only add to that.
    yield 'soft-dirty', not d['soft_dirty'] or pagemap >> 55 & 1

    # arm64 makes a contiguous hugetlb entry valid again, without user access; ppc64's PROT_NONE is valid.
    none = perms.startswith('---') and present
    valid_none = none and (arch == 'ppc64' or (arch == 'arm64' and bit(d, 52) and d['level'] == 'pte'))
    if none and not valid_none:
        yield 'PROT_NONE', d['parked_kind'] == 'prot_none' and d['present'] and not d['hardware_valid']
        yield 'nobody may', [d[k] for k in ('read', 'write', 'exec')] == [False] * 3
    elif none:
        yield 'valid PROT_NONE', d['state'] == 'leaf' and d['hardware_valid'] and d['mmu']['user'] == '---'
    elif present or not swapped:
        yield 'leaf', d['state'] == 'leaf' and d['hardware_valid'] and d['user']
    for name, facts in NAMED.items():
        if kind.startswith(name):
            for key, value in facts.items():
                # What a format lacks is null; only 'exclusive' of 6.1's riscv64 and the like are lacking elsewhere.
                yield f'{key} = {value}', d[key] == value or (key in LACKS[arch] and d[key] is None)
    if kind == 'MADV_FREE' or 'whole block MADV_FREE' in kind:
        yield 'clean', not d['dirty'] and d['write']
    if 'soft-clean' in kind:
        yield 'soft-clean', not d['soft_dirty']
    if 'rewritten: soft-dirty' in kind:
        yield 'soft-dirty', d['soft_dirty'] or 'soft_dirty' in LACKS[arch]
    if kind.startswith('hugetlb'):
        size = SIZES[kind.split()[1].rstrip(',')]
        yield 'size', size in (d['size'], d['group_size'])
    if kind.startswith('contiguous-size mTHP: intact') and arch == 'arm64':
        yield 'contiguous', d['contiguous'] and d['group_size'] == {4096: 1 << 16, 16384: 2 << 20}[page]
    if kind.startswith('UFFDIO_POISON'):
        yield 'poisoned', 'poisoned' in d['swap']['what']
    if kind.startswith('hwpoison'):
        yield 'pfn of the poisoned page', d['pfn'] == d['swap']['offset'] and int(d['phys'], 16) == d['pfn'] * page
    if kind == 'MTE' and snapshot == 'arm64-4k-max':
        yield 'tagged', d['memory_type'] == 'Normal-Tagged'
    if kind == 'BTI':
        yield 'guarded', field(d, 50) == 1


def fields_cover(d):
    at = 64
    for f in d['fields']:
        high, _, low = f['bits'].partition(':')
        if int(high) != at - 1:
            return False
        at = int(low or high)
        if f['value'] != int(d['word'], 16) >> at & (1 << int(high) - at + 1) - 1:
            return False
    return at == 0


def test_samples():
    groups = {}
    for line in (ROOT / 'tests/data/samples.txt').read_text().splitlines():
        if not line.startswith('#'):
            snapshot, kind, level, *rest = line.split('|')
            groups.setdefault((snapshot, level), []).append((kind, *rest))
    for (snapshot, level), rows in groups.items():
        options = [*SNAPSHOT_OPTIONS[snapshot], '--kernel', '6.12', '--level', level]
        words = [row[1] for row in rows]
        decoded = decode(*options, *words)
        for (kind, word, pagemap, perms, _), d in zip(rows, decoded):
            broken = [rule for rule, holds in sample_rules(snapshot, kind, int(pagemap, 16), perms, d) if not holds]
            if int(d['word'], 16) != int(word, 16) or len(d['word']) != 18 or not fields_cover(d):
                broken.append('word and fields')
            check(not broken, f'{snapshot} {kind} {word}', f'{broken} in {d["summary"]}')
        if snapshot == 'arm64-4k-max':
            # Without --lpa2 the best reading is the same.
            guessed = decode(*[o for o in options if o != '--lpa2'], *words)
            for d, g in zip(decoded, guessed):
                same = all(d[k] == g[k] for k in ('pfn', 'phys', 'state', 'dirty', 'summary'))
                check(same, 'without --lpa2', d['word'])
                named = 'without --lpa2: bits 9:8 are SH' in readings(g)
                check(named or g['state'] != 'leaf', 'SH is named', d['word'])


# ---- Bug reports.

def kernel_of(arch, context):
    if 'Linux' not in context.get('kernel', '') and re.search('Zephyr|Firecracker|Xen', context.get('kernel', '')):
        return 'bare'
    version = re.search(r'(\d+)\.(\d+)', context.get('kernel', ''))
    version = (int(version[1]), int(version[2])) if version else (6, 1)
    first_6_12 = {'x86_64': (6, 6), 'arm64': (6, 10), 'riscv64': (6, 2)}[arch]
    return '6.1' if version < first_6_12 else '6.12' if version < (6, 17) else '7.3'


def case_rules(fact, d, arch):
    """The rules about the entry d that a fact states."""
    numbers = {k: int(v, 0) for k, v in re.findall(r'([\w\[\]()/-]+)=(0x[0-9a-f]+|\d+)', fact)}
    if found := re.search(r'TABLE: next table at (0x[0-9a-f]+)', fact):
        yield d['state'] == 'table' and d['phys'] == found[1]
        if arch == 'x86_64':
            flags = tuple(numbers[k] for k in ('rw', 'user', 'nx', 'accessed'))
            yield (bit(d, 1), bit(d, 2), bit(d, 63), bit(d, 5)) == flags
        if arch == 'arm64':
            yield (field(d, 59), field(d, 60)) == (numbers['PXNTable'], numbers['UXNTable'])
    elif 'none (zero)' in fact:
        yield d['state'] == 'empty' and not d['present']
    elif 'LEAF' in fact and arch == 'x86_64':
        size = {'4K': 4096, '2M': 2 << 20, '1G': 1 << 30}[re.search(r'LEAF (\w+):', fact)[1]]
        yield d['state'] == 'leaf' and d['present'] and d['hardware_valid'] and d['size'] == size
        yield d['pfn'] == numbers['pfn'] and d['pkey'] == numbers['pkey']
        yield (d['user'], d['accessed'], d['global']) == tuple(bool(numbers[k]) for k in ('user', 'accessed', 'global'))
        yield (field(d, 1), field(d, 6), field(d, 63)) == (numbers['rw'], numbers['dirty'], numbers['nx'])
        yield (field(d, 4), field(d, 3)) == (numbers['pcd'], numbers['pwt'])
        yield d['exec'] == (not numbers['nx']) and (not numbers['rw'] or d['write'])
        if d['kernel'] != 'bare':
            yield d['special'] == ('special(b9)' in fact) and d['soft_dirty'] == ('soft-dirty(b11)' in fact)
    elif 'LEAF' in fact and arch == 'arm64':
        yield d['state'] == 'leaf' and d['pfn'] == numbers['pfn'] and int(d['phys'], 16) == numbers['phys']
        yield field(d, 2) == numbers['AttrIndx'] and d['user'] == bool(numbers['user(AP[1])'])
        yield field(d, 7) == numbers['read-only(AP[2])'] and d['accessed'] == bool(numbers['AF'])
        yield field(d, 11) == numbers['nG'] and d['global'] == (not numbers['nG'])
        yield field(d, 51) == numbers['DBM/write'] and d['contiguous'] == bool(numbers['cont'])
        yield (field(d, 53), field(d, 54)) == (numbers['PXN'], numbers['UXN'])
        if 'pte_dirty' in numbers:
            yield d['dirty'] == bool(numbers['pte_dirty']) and d['special'] == bool(numbers['special(b56)'])
    elif 'LEAF' in fact and arch == 'riscv64':
        # The facts give the whole PPN, which a misaligned leaf has bits too many in.
        yield d['state'] == 'leaf' and (d['pfn'] == numbers['pfn'] or d['reserved_set'])
        yield (d['read'], d['write'], d['exec'], d['user'], d['global'], d['accessed'], d['dirty']) == tuple(
            bool(numbers[k]) for k in 'RWXUGAD')
    elif found := re.search(r'hardware Present=0; PROT_NONE bit8=(\d)', fact):
        yield not d['hardware_valid'] and d['present'] == (found[1] == '1') and d['state'] == 'parked'
        yield (d['parked_kind'] == 'prot_none') == (found[1] == '1')
    elif found := re.search(r'(?:real|inverted) pfn (?:= )?(0x[0-9a-f]+)', fact):
        yield f'pfn {found[1]}' in readings(d)
    elif 'descriptor invalid' in fact or 'V=0 (not a hardware-valid entry)' in fact:
        yield not d['hardware_valid'] and d['state'] == 'parked'
    elif 'must raise a page fault' in fact:
        yield d['reserved_set']


def test_cases():
    order = ['pgd', 'p4d', 'pud', 'pmd', 'pte']
    checked = 0
    for line in (ROOT / 'tests/data/cases/entries.jsonl').read_text().splitlines():
        case = json.loads(line)
        context = case['context']
        arch = {'x86-64': 'x86_64', 'arm64': 'arm64', 'riscv64': 'riscv64'}[case['arch'].split()[0]]
        options = ['--arch', arch, '--kernel', kernel_of(arch, context)]
        if arch == 'arm64':
            options += ['--page-size', context.get('granule', '4K')]
        entries = {l: case['input'][l] for l in order if l in case['input']}
        va_bits = str(context.get('va_bits', ''))
        if arch == 'x86_64':
            va_bits = '57' if 'p4d' in entries and entries['p4d'] != entries['pgd'] else '48'
        elif arch == 'riscv64' and not va_bits:
            va_bits = '57' if 'p4d' in entries else '39'
        if va_bits:
            options += ['--va-bits', va_bits]
        decoded = {}
        for level, word in entries.items():
            result = run('--json', *options, '--level', level, word)
            # A level that the tree does not have is printed by Linux as the root's entry.
            if result.returncode == 2 and 'a tree of' in result.stderr:
                result = run('--json', *options, '--level', 'pgd', word)
            check(result.returncode == 0, f'{case["id"]} {level} {word}', result.stderr)
            if result.returncode == 0:
                decoded[level] = json.loads(result.stdout)[0]
        for fact in case['expected']:
            about = re.match(r'(pgd|p4d|pud|pmd|pte)\b(?! (?:equals|and|is))', fact)
            level = about[1] if about else list(entries)[-1]
            if level not in decoded:
                continue
            for good in case_rules(fact, decoded[level], arch):
                checked += 1
                check(good, f'{case["id"]} {fact}', decoded[level]['summary'])
    check(checked > 200, 'facts about entries', checked)
    # A CPU of 46 address bits; the report's frame is above.
    for bits, fault in (('46', True), ('48', False)):
        d, = decode('--arch', 'x86_64', '--level', 'pte', '--phys-bits', bits, '800049168e911235')
        check(d['reserved_set'] == fault, f'{bits} address bits', d['summary'])


# ---- Words made by hand.

WORDS = [
    # arch and options, level, word, what holds
    ('x86_64', 'pte 8000000012345025',
     dict(pfn=0x12345, write=False, user=True, exec=False, accessed=True, dirty=False)),
    ('x86_64', 'pte 8400000012345025', dict(dirty=True, write=False)),
    ('x86_64 --kernel 6.1', 'pte 8400000012345025', dict(dirty=False)),
    ('x86_64', 'pte 0000000012345025', dict(exec=True)),
    ('x86_64', 'pte 8000000012345021', dict(user=False, read=True, mmu={'user': '---', 'kernel': 'r--'})),
    ('x86_64', 'pte a800000012345025', dict(pkey=5)),
    ('x86_64', 'pte 800000001234502d', dict(memory_type='WC')),
    ('x86_64', 'pte 80000000123450a5', dict(memory_type='WB', size=4096)),
    ('x86_64', 'pte 80000000123450bd', dict(memory_type='WT')),
    ('x86_64 --pat 0007040600070406', 'pte 800000001234502d', dict(memory_type='WT')),
    ('x86_64', 'pte 8000000012345125', {'global': True}),
    ('x86_64', 'pte 8000000012345425', dict(uffd_wp=True)),
    ('x86_64', 'pte 8000000012345825', dict(soft_dirty=True)),
    ('x86_64', 'pte 8010000012345025', dict(pfn=0x12345, reserved_set=False)),
    ('x86_64', 'pte 8000000012345065', dict(write=False, dirty=True)),
    ('x86_64 --shadow-stack', 'pte 8000000012345065', dict(write=True, dirty=True)),
    ('x86_64', 'pte 040fffffedcba120',
     dict(state='parked', parked_kind='prot_none', pfn=0x12345, present=True, dirty=True,
                                            hardware_valid=False, read=False, write=False, exec=False)),
    ('x86_64', 'pte 0', dict(state='empty', present=False, pfn=None, swap=None, read=None, dirty=None)),
    ('x86_64', 'pte 60', dict(state='empty')),
    ('x86_64', 'pte 3fffffffffdb9600',
     dict(parked_kind='swap', swap={'type': 7, 'offset': 0x1234, 'what': 'swap file 7'})),
    ('x86_64', 'pmd 80000000400000a5', dict(pfn=0x40000, size=2 << 20, memory_type='WB')),
    ('x86_64', 'pmd 80000000400010bd', dict(pfn=0x40000, memory_type='WT')),
    ('x86_64', 'pmd 80000000400020a5', dict(reserved_set=True)),
    ('x86_64', 'pmd 800fffffbfe000e6',
     dict(parked_kind='present_invalid', present=True, hardware_valid=False, pfn=0x40000)),
    ('x86_64', 'pud 80000000400000e7', dict(size=1 << 30)),
    ('x86_64', 'p4d 1000e7', dict(state='table', reserved_set=True)),
    ('x86_64 --encryption-bit 51', 'pte 8008000012345025', dict(pfn=0x12345, reserved_set=False)),
    ('x86_64 --phys-bits 40', 'pte 8008000012345025', dict(reserved_set=True)),
    ('x86_64 --phys-bits 40 --encryption-bit 51', 'pte 8008000012345025', dict(reserved_set=False, pfn=0x12345)),
    ('arm64', 'pte 0060000012345fc3', dict(pfn=0x12345, write=False, dirty=False, user=True, exec=False)),
    ('arm64', 'pte 0068000012345fc3', dict(write=True, dirty=False, mmu={'user': 'r--', 'kernel': '---'})),
    ('arm64 --hw-dirty', 'pte 0068000012345fc3', dict(write=True, dirty=False, mmu={'user': 'rw-', 'kernel': '---'})),
    ('arm64', 'pte 0068000012345f43', dict(write=True, dirty=True)),
    ('arm64', 'pte 00e0000012345fc3', dict(write=False, dirty=True)),
    ('arm64', 'pte 0020000012345fc3', dict(exec=True, user=True)),
    ('arm64', 'pte 0060000012345f83', dict(user=False)),
    ('arm64', 'pte 0060000012345bc3', dict(accessed=False)),
    ('arm64', 'pte 0460000012345fc3', dict(uffd_wp=True)),
    ('arm64 --kernel 6.1', 'pte 0460000012345fc3', dict(uffd_wp=None)),
    ('arm64', 'pte 0160000012345fc3', dict(special=True)),
    ('arm64', 'pte 3060000012345fc3', dict(pkey=3)),
    ('arm64', 'pte 0060000012345fc7', dict(memory_type='Normal-Tagged')),
    ('arm64 --mair 0000000000000004', 'pte 0060000012345fc3', dict(memory_type='Device-nGnRE')),
    ('arm64', 'pte 0070000012345fc3', dict(contiguous=True, size=4096, group_size=65536)),
    ('arm64', 'pte 00600000123457c3', {'global': True}),
    ('arm64', 'pte 00e0000012345f82', dict(parked_kind='prot_none', pfn=0x12345, present=True, dirty=True, read=False)),
    ('arm64 --kernel 6.1', 'pte 04e0000012345fc2', dict(parked_kind='prot_none', pfn=0x12345)),
    ('arm64', 'pmd 0060000012200f80', dict(parked_kind='prot_none')),
    ('arm64', 'pte 0001000012345fc3', dict(reserved_set=True)),
    ('arm64 --lpa2', 'pte 0063000012345ec3', dict(phys='0xb000012345000', reserved_set=False)),
    ('arm64 --page-size 64K --lpa', 'pte 006000001234ffc3', dict(phys='0xf000012340000', reserved_set=False)),
    ('arm64 --page-size 64K --no-lpa', 'pte 006000001234ffc3', dict(reserved_set=True)),
    ('arm64 --page-size 64K --va-bits 42', 'pgd 0060000020000fc1', dict(size=512 << 20)),
    ('arm64 --kernel 6.1', 'pte 1234500',
     dict(parked_kind='swap', swap={'type': 0, 'offset': 0x12345, 'what': 'swap file 0'})),
    ('ppc64', 'pte c000000012340104', dict(pfn=0x1234, size=65536, write=False, user=True)),
    ('ppc64', 'pte c000000012340186', dict(write=True, dirty=True)),
    ('ppc64', 'pte c000000012340105', dict(exec=True)),
    ('ppc64', 'pte c000000012340180', dict(state='leaf', read=False, write=False, exec=False, hardware_valid=True)),
    ('ppc64', 'pte c00000001234010c', dict(user=False)),
    ('ppc64', 'pte c000000012340124', dict(memory_type='I/O non-idempotent')),
    ('ppc64', 'pte c000000012340304', dict(soft_dirty=True)),
    ('ppc64', 'pte c000000012340504', dict(special=True)),
    ('ppc64', 'pte 4000000000055000', dict(state='parked', hardware_valid=False)),
    ('ppc64', 'pte 6000000012340106', dict(parked_kind='present_invalid', present=True, hardware_valid=False)),
    ('ppc64', 'pgd 8000000001234009', dict(state='table', phys='0x1234000')),
    ('riscv64', 'pte 80000000405b60d7', dict(size=65536, pfn=0x1016d0, contiguous=True)),
    ('riscv64 --no-svnapot', 'pte 80000000405b60d7',
     dict(reserved_set=True, contiguous=False, size=4096, group_size=None, pfn=0x1016d8)),
    ('riscv64', 'pmd 80000000405b60d7', dict(reserved_set=True)),
    ('riscv64', 'pte 60000000405b00d7', dict(reserved_set=True)),
    ('riscv64', 'pte 20000000405b00d7', dict(memory_type='NC', reserved_set=False)),
    ('riscv64 --no-svpbmt', 'pte 20000000405b00d7', dict(reserved_set=True, memory_type='PMA')),
    ('riscv64', 'pmd 40000041', dict(state='table', reserved_set=True)),
    ('riscv64', 'pte 405b00c5', dict(reserved_set=True)),
    ('riscv64 --va-bits 39', 'pgd 300000d7', dict(size=1 << 30)),
    ('riscv64 --va-bits 48', 'pgd 300000d7', dict(reserved_set=True)),
    ('riscv64 --kernel 7.3', 'pte 18000000405b00d7', dict(soft_dirty=True, uffd_wp=True)),
    ('riscv64 --kernel 6.12', 'pte 0000000000200040',
     dict(swap={'type': 0, 'offset': 0x200, 'what': 'swap file 0'}, exclusive=True)),
    ('riscv64 --kernel 6.1', 'pte 0000000000200040',
     dict(swap={'type': 1, 'offset': 0x400, 'what': 'swap file 1'}, exclusive=None)),
    ('riscv64 --kernel bare', 'pte 200040', dict(state='parked', parked_kind='unknown', swap=None)),
    ('example', 'pte 400f',
     dict(pfn=1, size=16384, write=True, user=True, exec=False, memory_type='memory', special=False)),
    ('example', 'pte 2', dict(state='parked', parked_kind='unknown')),
]


def migration(arch_options, type_, offset, **facts):
    """A migration entry: made here, bit for bit, for the formats that place type and offset so."""
    word = {'x86_64': type_ << 59 | (~offset & (1 << 50) - 1) << 9, 'arm64': offset << 12 | type_ << 6,
            'ppc64': 1 << 62 | offset << 16 | type_, 'riscv64': offset << 12 | type_ << 7}[arch_options.split()[0]]
    return arch_options, f'pte {word:x}', dict(parked_kind='migration', present=False, **facts)


WORDS += [
    migration('x86_64', 28, 0x12345, pfn=0x12345, accessed=False, dirty=False),
    migration('x86_64', 29, 0x12345 | 1 << 34, pfn=0x12345, accessed=True, dirty=False),
    migration('x86_64', 30, 0x12345 | 2 << 34, pfn=0x12345, accessed=False, dirty=True),
    migration('x86_64 --va-bits 57', 30, 0x12345 | 3 << 40, pfn=0x12345, accessed=True, dirty=True),
    migration('arm64', 30, 0x12345 | 1 << 36, pfn=0x12345, accessed=True, dirty=False),
    migration('arm64 --physmem-bits 52', 30, 0x12345 | 1 << 40, pfn=0x12345, accessed=True, dirty=False),
    migration('arm64 --device-private --kernel 6.12', 24, 0x12345, pfn=0x12345),
    migration('arm64 --device-private --kernel 7.3', 25, 0x12345, pfn=0x12345),
    migration('ppc64', 29, 0x1234 | 3 << 35, pfn=0x1234, accessed=True, dirty=True),
    migration('riscv64', 28, 0x12345 | 1 << 44, pfn=0x12345, accessed=True, dirty=False),
]


def test_words():
    for options, what, facts in WORDS:
        level, word = what.split()
        d, = decode('--arch', *options.split(), '--level', level, word)
        broken = [f'{k} is {d[k]}' for k, v in facts.items() if d[k] != v]
        check(not broken and fields_cover(d), f'{options} {what}', f'{broken} in {d["summary"]}')


def test_alternatives():
    for options, word, assumed, expected in [
        ('x86_64', '8400000012345025', '--kernel 7.3', '--kernel 6.1: not dirty, bit 58 is DEVMAP'),
        ('x86_64', '1e5c01067', '--level pte', '--level pmd, pud, p4d: table at 0x1e5c01000'),
        ('x86_64 --level pte', '8008000012345025', '--encryption-bit 51',
         'without memory encryption: at 0x8000012345000'),
        ('x86_64 --level pte', '8000002000000073', '--kernel 7.3', ''),
        ('x86_64 --level pte', '800049168e911235', '', '--phys-bits 46 or fewer: reserved bits are set'),
        ('x86_64 --level pte', '8000000012345065', '', '--shadow-stack: user rw-'),
        ('x86_64 --level pte', 'e000000000000000', '', '--device-private: device'),
        ('arm64', '00e8000048800f41', '--level pmd', '--level pte: no sense'),
        ('arm64', '0068000012345fc3', '--page-size 4K', '--hw-dirty: the MMU lets the user write'),
        ('arm64 --page-size 4K --level pte', '600000ba0818c3', '--lpa2',
         'without --lpa2: bits 9:8 are SH, 0 = non-shareable'),
        ('arm64 --page-size 4K --level pte', '600000ba081ac3', '', '--lpa2: bits 9:8 are address bits 51:50'),
        ('arm64 --page-size 64K --level pte', '006000001234ffc3', '--lpa', 'without --lpa: '),
        ('arm64 --level pte', '0000000012345080', '--kernel 7.3', '--kernel 6.1: '),
        ('ppc64', 'c000000006630380', '--page-size 64K', '--page-size 4K: '),
        ('ppc64', 'c00000003fe0f386', '--page-size 4K', '--page-size 64K: no sense: reserved bits are set'),
        ('riscv64 --level pte', '80000000405b60d7', '--kernel 7.3', 'without Svnapot: faulting: reserved bits are set'),
        ('riscv64 --level pte', '20000000405b00d7', '', 'without Svpbmt: faulting'),
        ('riscv64 --level pgd', '300000d7', '--va-bits 39', '--va-bits 48, 57: no sense'),
        ('riscv64 --level pte', '0000000000200040', '', '--kernel 6.1: swap file 1, offset 0x400'),
    ]:
        d, = decode('--arch', *options.split(), word)
        good = expected in readings(d) and (not assumed or assumed in d['assumed'])
        check(good, f'alternatives of {options} {word}', f'{d["assumed"]} {readings(d)}')
    # With all that matters given, nothing is left to say.
    d, = decode('--arch', 'arm64', '--kernel', '6.12', '--page-size', '4K', '--level', 'pte', '0x00e8000048423f43')
    check(d['assumed'] == [] and d['alternatives'] == [], 'nothing is missing', readings(d))


def test_text():
    result = run('--arch', 'arm64', '--kernel', '6.12', '--page-size', '4K', '--level', 'pte', '0x00e8000048423f43')
    text = result.stdout
    check(result.returncode == 0 and result.stderr == '', 'text', result.stderr)
    for part in ['0x00e8000048423f43', 'leaf; valid to the MMU, present to Linux', '4 KiB at 0x48423000, pfn 0x48423',
                 'user rw-', 'Normal', 'is           accessed, dirty',
                 'is not       uffd-wp, contiguous, special, global', 'has no       soft-dirty', '47:12', 'AttrIndx',
                 '0000 0000 1110 1000 0000 0000 0000 0000 0100 1000 0100 0010 0011 1111 0100 0011']:
        check(part in text, 'text', f'no "{part}" in\n{text}')
    words = ['--arch', 'x86_64', 'pgd=1e5c01067', '*pud=342f3d063', 'pmd=80000003518001e3', 'dffffffffee59400',
             '0x8000000003731225']
    text = run(*words).stdout
    check(text.count(' state ') == 5 and 'x86_64, Linux 7.3, pud' in text, 'several words', text)
    check(max(map(len, text.splitlines())) <= 100 and text.isascii(), 'at most 100 columns', text)
    check([d['level'] for d in decode(*words)] == ['pgd', 'pud', 'pmd', 'pte', 'pte'], 'LEVEL=WORD')
    keys = ('arch level word state parked_kind hardware_valid present pfn phys size read write exec user global '
            'accessed dirty soft_dirty uffd_wp contiguous special memory_type pkey swap reserved_set fields').split()
    field_keys = {'name', 'bits', 'value', 'meaning'}
    for arch in ['x86_64', 'arm64', 'ppc64', 'riscv64', 'example']:
        for word in ['0', '1', 'ffffffffffffffff', '0xC000000012345F43', '123456789abcdef0']:
            for level in ['pte', 'pmd', 'pud']:
                d, = decode('--arch', arch, '--level', level, word)
                check(all(k in d for k in keys) and fields_cover(d), f'{arch} {level} {word}')
                check(all(set(f) == field_keys for f in d['fields']), f'{arch} {level} {word}')
    check(all(kind in run('--help').stdout for kind in ('present_invalid', 'prot_none', 'unknown')), 'kinds in --help')
    check(run('--help').returncode == 0 and '--svnapot' in run('--help').stdout, '--help')


def test_bad_input():
    x86, arm = ['--arch', 'x86_64'], ['--arch', 'arm64']
    digits = 'must be 1 to 16 hexadecimal digits'
    for args, text in [
        ([*x86, 'hello'], f"'hello': it {digits}"),
        ([*x86, '0x'], digits),
        ([*x86, ''], digits),
        ([*x86, '12 34'], digits),
        ([*x86, '00000000000000001'], digits),
        ([*x86, '0x10000000000000000'], digits),
        ([*x86, '+1'], digits),
        ([*x86, '0x0x1'], digits),
        ([*x86, '\x1b[31m'], digits),
        ([*x86, 'f' * 100000], digits),
        ([*x86, '1', 'x'], digits),
        ([*x86, 'pte='], digits),
        ([*x86, 'pxd=1'], "'pxd'"),
        ([*x86, '=1'], 'must be pte, pmd, pud, p4d or pgd'),
        (x86, 'words'),
        (['1'], '--arch'),
        (['--arch', 'arm', '1'], "'arm': it must be x86_64, arm64"),
        (['--arch', '', '1'], '--arch'),
        ([*x86, '--kernel', '5.10', '1'], "'5.10'"),
        ([*x86, '--kernel', '', '1'], '--kernel'),
        ([*x86, '--kernel', 'own', '1'], "'own'"),
        (['--arch', 'example', '--kernel', '6.12', '1'], 'no Linux half'),
        ([*x86, '--level', 'pxd', '1'], "'pxd'"),
        ([*x86, '--level', 'PTE', '1'], "'PTE'"),
        ([*x86, '--level', '', '1'], '--level'),
        ([*arm, '--page-size', '8K', '1'], "'8K'"),
        ([*arm, '--page-size', '0', '1'], '--page-size'),
        ([*arm, '--page-size', '99999999999999999999K', '1'], '--page-size'),
        ([*x86, '--page-size', '64K', '1'], 'x86_64 has base pages of 4K'),
        (['--arch', 'ppc64', '--page-size', '16K', '1'], '64K, 4K'),
        (['--arch', 'riscv64', '--va-bits', '39', '--level', 'p4d', '1'], 'pgd (pud)'),
        ([*arm, '--page-size', '64K', '--level', 'p4d', '1'], "'p4d'"),
        ([*arm, '--va-bits', '39', '--level', 'p4d', '1'], '39 bits'),
        ([*x86, '--va-bits', '39', '1'], '48, 57'),
        ([*x86, '--va-bits', 'x', '1'], "'x'"),
        ([*x86, '--va-bits', '-1', '1'], '--va-bits'),
        ([*x86, '--phys-bits', '53', '1'], '32 to 52'),
        ([*x86, '--encryption-bit', '52', '1'], '12 to 51'),
        ([*arm, '--encryption-bit', '47', '1'], 'means nothing with --arch arm64'),
        ([*x86, '--lpa2', '1'], 'means nothing'),
        ([*arm, '--lpa', '--page-size', '4K', '1'], '--lpa goes with 64K'),
        ([*arm, '--lpa2', '--page-size', '64K', '1'], '--lpa2 with 4K'),
        ([*x86, '--svnapot', '1'], 'means nothing'),
        ([*x86, '--mair', '1', '1'], 'means nothing'),
        ([*arm, '--mair', 'q', '1'], "'q'"),
        ([*x86, '--nonesuch', '1'], '--nonesuch'),
        ([*x86, '--level'], '--level'),
        ([*x86, '--kernel', 'bare', '--device-private', '1'], '--device-private: means nothing with --kernel bare'),
        ([*x86, '--kernel', 'bare', '--no-memory-failure', '1'], '--memory-failure: means nothing with --kernel bare'),
        ([*arm, '--kernel', 'bare', '--physmem-bits', '48', '1'], '--physmem-bits: means nothing with --kernel bare'),
        (['--arch', 'example', '--device-private', '1'], '--device-private: means nothing with --arch example'),
        (['--arch', 'example', '--physmem-bits', '40', '1'], '--physmem-bits: means nothing with --arch example'),
    ]:
        result = run(*args)
        shown = ' '.join(args)[:60]
        check(result.returncode == 2 and result.stdout == '', f'status of {shown!r}', result.returncode)
        one_line = len(result.stderr) < 500 and result.stderr.count('\n') == 1
        check(text in result.stderr and one_line, f'message of {shown!r}', result.stderr[:500])
        check('\x1b' not in result.stderr, 'no control characters', repr(result.stderr))


for test in (test_samples, test_cases, test_words, test_alternatives, test_text, test_bad_input):
    test()
print(f'{passed} passed, {failed} failed')
raise SystemExit(1 if failed else 0)
