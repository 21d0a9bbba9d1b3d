#!/usr/bin/env python3
"""The instructions that flush, in the code that each compiler at hand makes of backends/flushes.cpp: which, with which
fixed operands, and in which order."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OPTIONS = ['-O2', '-std=c++20', '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror',
           '-ffreestanding', '-fno-exceptions', '-fno-rtti', f'-I{ROOT}/include']

# What is looked for, as disassembled. Registers that the compiler chooses become `r`.
LOOKED_FOR = {
    'x86_64': r'invlpg|invpcid|mov .*%cr[34]|xor +\$0x80,', 'aarch64': r'tlbi|dsb|isb|sys\b',
    'powerpc64': r'ptesync|tlbie|tlbiel|eieio|tlbsync|slbia|isync|\.long', 'riscv64': r'sfence|\.(4byte|word)|sinval',
}
REGISTERS = {
    'x86_64': r'%r(?!sp)\w+', 'aarch64': r'\bx\d+', 'powerpc64': r'\br\d+', 'riscv64': r'\ba\d',
}

STORES, DONE = ['dsb ishst'], ['dsb ish', 'isb']
OPERATIONS = ['vae1', 'aside1', 'vaae1', 'vale1', 'vaale1', 'rvae1', 'rvaae1', 'rvale1', 'rvaale1']
EXPECTED = {
    'x86_64': {
        'flush_page': ['invlpg (r)'],
        'flush_table': ['invlpg (r)'],
        'flush_everything': ['mov %cr3,r', 'mov r,%cr3'],
        'flush_everything_global': ['mov %cr4,r', 'xor $0x80,r', 'mov r,%cr4', 'mov r,%cr4'],
        'flush_everything_invpcid': ['invpcid m,r'],
        'flush_page_of_context': ['invpcid m,r'],
    },
    'aarch64': {
        'flush_page': [*STORES, 'tlbi vale1is, r', *DONE],
        'flush_page_local': ['dsb nshst', 'tlbi vale1, r', 'dsb nsh', 'isb'],
        'flush_page_global': [*STORES, 'tlbi vaale1is, r', *DONE],
        'flush_table': [*STORES, 'tlbi vae1is, r', *DONE],
        'flush_everything': [*STORES, 'tlbi aside1is, r', *DONE],
        'flush_everything_global': [*STORES, 'tlbi vmalle1is', *DONE],
        'flush_everything_local': ['dsb nshst', 'tlbi vmalle1', 'dsb nsh', 'isb'],
        'every_operation': [f'tlbi {op}is, r' for op in OPERATIONS] + [f'tlbi {op}, r' for op in OPERATIONS],
    },
    # The last three operands are RIC, PRS, R.
    'powerpc64': {
        'flush_page': ['ptesync', 'tlbie r,r,0,1,1', 'eieio', 'tlbsync', 'ptesync'],
        'flush_page_local': ['ptesync', 'tlbiel r,r,0,1,1', 'ptesync'],
        'flush_table': ['ptesync', 'tlbie r,r,1,1,1', 'eieio', 'tlbsync', 'ptesync'],
        'flush_everything': ['ptesync', 'tlbie r,r,2,1,1', 'eieio', 'tlbsync', 'ptesync'],
        'flush_everything_local': ['ptesync', 'tlbiel r,r,2,1,1', 'ptesync', 'slbia 3', 'isync'],
    },
    'riscv64': {
        'flush_page': ['sfence.vma r,r'],
        'flush_page_global': ['sfence.vma r'],
        'flush_table': ['sfence.vma zero,r'],
        'flush_everything': ['sfence.vma'],
        # SFENCE.W.INVAL; SINVAL.VMA a0,a1; a0,x0; x0,a1; SFENCE.INVAL.IR. A disassembler knows them where their
        # extension is named, or else prints the words.
        'flush_many': ['0x18000073', '0x16b50073', '0x16050073', '0x16b00073', '0x18100073'],
    },
}


def compilers():
    """(architecture, name, command, objdump): cross compilers, and clang for the same, as far as they are installed."""
    for triple in 'x86_64', 'aarch64', 'powerpc64le', 'powerpc64', 'riscv64':
        target = f'{triple}-linux-gnu'
        objdump = shutil.which(f'{target}-objdump')
        if not objdump:
            continue
        arch = 'powerpc64' if triple.startswith('powerpc64') else triple
        if gcc := shutil.which(f'{target}-g++'):
            yield arch, f'{target}-g++', [gcc], objdump
        for name in 'clang++-16', 'clang++-19':
            # To see all of a function in one place; flatten stops at the first calls.
            if clang := shutil.which(name):
                options = [f'--target={target}', '-mllvm', '-inline-threshold=100000']
                yield arch, f'{name} for {triple}', [clang, *options], objdump


def functions(arch, command, objdump, scratch):
    """What was looked for, in order, by function."""
    obj = f'{scratch}/flushes.o'
    subprocess.run([*command, *OPTIONS, '-c', str(HERE / 'backends/flushes.cpp'), '-o', obj], check=True)
    show = [objdump, '-d', '--no-show-raw-insn', obj]
    if arch == 'powerpc64':
        show.insert(1, '-Mpower9')
    found, name = {}, None
    for line in subprocess.run(show, check=True, capture_output=True, text=True).stdout.splitlines():
        if start := re.match(r'[0-9a-f]+ <\.?(\w+)>:$', line):
            name = start[1]
            found[name] = []
        elif name and (code := re.match(r'\s*[0-9a-f]+:\s+(\S.*?)\s*(?:#.*|//.*)?$', line)):
            text = re.sub(r'\s+', ' ', code[1])
            if re.match(LOOKED_FOR[arch], text):
                text = re.sub(r'-?0x[0-9a-f]+\(%\w+\)|(?<=invpcid )\(%rsp\)', 'm', text)
                text = re.sub(r'\.(4byte|word) ', '', text)
                found[name].append(re.sub(REGISTERS[arch], 'r', text))
    return found


checked = failed = 0
with tempfile.TemporaryDirectory() as scratch:
    for arch, name, command, objdump in compilers():
        try:
            found = functions(arch, command, objdump, scratch)
        except subprocess.CalledProcessError:
            print(f'FAILED {name}: does not compile')
            failed += 1
            continue
        for function, expected in EXPECTED[arch].items():
            got = found.get(function, [])
            if arch == 'powerpc64':  # traceback tables after a function are data
                got = [text for text in got if not text.startswith('.long')]
            checked += 1
            if got != expected:
                failed += 1
                print(f'FAILED {name}: {function}\n  expected {expected}\n  got      {got}')
print(f'{checked - failed} passed, {failed} failed')
sys.exit(1 if failed or not checked else 0)
