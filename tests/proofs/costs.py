#!/usr/bin/env python3
"""What proofs cost: a table of words, nodes, steps, and seconds and MB with each compiler, over a file without proof.

Each proof is compiled alone. Passed if it takes less than a second and 150 MB, and under clang a quarter of the default
limit on steps. Times are the compiler's own and vary with what else the machine does: what is too slow is tried
again."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
QUARTER = '-fconstexpr-steps=262144'
SECONDS, MEGABYTES = 1.0, 150
HEADERS = '#include <cstdio>\n#include <pte/proof/batches.hpp>\n#include <pte/proof/completeness.hpp>\n' \
    '#include <pte/proof/format_laws.hpp>\n#include <pte/proof/linux_answers.hpp>\n#include <pte/proof/records.hpp>\n' \
    '#include <pte/tlb/linux_rules.hpp>\nusing namespace pte;\nusing namespace pte::proof;\n'

# What is proved, of which format and level. The dearest of each kind are among them.
FORMATS = {'x86 pmd': ('x86_64', 'pmd'), 'arm64-4k pte': ('arm64_4k', 'pte'),
           'arm64-64k-lpa pmd': ('arm64_64k_lpa', 'pmd'), 'ppc64-64k pte': ('ppc64_64k', 'pte'),
           'riscv64 pte': ('riscv64', 'pte')}
THEOREMS = {
    'S0a record complete': 'record_is_complete<{f}, {l}>',
    'S0b table covers MMU': 'table_covers_mmu<{f}, {l}, access_kind::store, true>',
    'S0b MMU covers table': 'mmu_covers_table<{f}, {l}, next_entry::usable>',
    'S1 Linux sound': 'flush_is_sound<linux_rules<true>, {f}, {l}>',
    'S3 Linux transitive': 'elision_is_transitive<linux_rules<>, {f}, {l}>',
    "S5 Linux's answers": 'linux_rules_are_linuxs<{f}, {l}>',
    'L2 normalisers': 'normaliser_laws<{f}, {l}{case}>'}
ONCE = {'S1 exact sound': 'exact_is_sound<>', 'S2 exact has a reason': 'exact_asks_for_a_reason<>',
        'S3 exact transitive': 'exact_is_transitive<15, true>', 'S7 exact progress': 'exact_makes_progress<>'}


def proofs():
    for name, proof in ONCE.items():
        yield name, 'all', proof
    for name, proof in THEOREMS.items():
        for format_name, (layout, level) in FORMATS.items():
            if 'Linux' in name and layout == 'riscv64' and 'answers' not in name:
                continue  # Linux always flushes there
            case = ', 1' if layout == 'x86_64' else ''  # of the cases of laws: a leaf
            yield name, format_name, proof.format(f=f'format<{layout}, linux_7_3>', l=f'level::{level}', case=case)


def compiled(command):
    """(seconds, MB, message) of a compiler's run; its own time, so that waiting for others does not count."""
    with tempfile.TemporaryFile('w+') as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        output.seek(0)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read() if status != 0 else ''


def main():
    compilers = [[c] for c in ('g++', 'clang++-16') if shutil.which(c)]
    for compiler in compilers:
        compiler += ['-std=c++20', f'-I{ROOT}/include', '-w', '-fsyntax-only']
        if 'clang' in compiler[0]:
            compiler.append(QUARTER)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, 'proof.cpp'), pathlib.Path(folder, 'proof')
        source.write_text(HEADERS + 'int main() {}\n')
        empty = [min(compiled([*c, source])[:2] for _ in range(3)) for c in compilers]
        print(f'{"":45}words  nodes  steps' + ''.join(f'{c[0]:>19}' for c in compilers))
        for name, about, proof in proofs():
            source.write_text(f'{HEADERS}constexpr auto v = {proof};\nint main() {{\n  std::printf("%5zu %6u %6u", '
                              'v.words.size(), v.cost.nodes, v.cost.steps);\n  return v.holds && v.agrees ? 0 : 1;\n}\n')
            line, wrong = f'{name:25}{about:20}', ''
            built = compiled([compilers[0][0], '-std=c++20', f'-I{ROOT}/include', '-w', source, '-o', program])
            if built[2]:
                wrong = built[2]
            else:
                shown = subprocess.run([program], capture_output=True, text=True)
                line += shown.stdout
                wrong = '' if shown.returncode == 0 else 'does not hold'
            for compiler, (seconds, megabytes) in zip(compilers, empty):
                took, held, message = compiled([*compiler, source])
                if took - seconds > SECONDS:
                    took = min(took, compiled([*compiler, source])[0])
                line += f'{took - seconds:8.2f} s {held - megabytes:5.0f} MB'
                wrong = wrong or message
                if took - seconds > SECONDS or held - megabytes > MEGABYTES:
                    wrong = wrong or f'{compiler[0]}: more than {SECONDS} s or {MEGABYTES} MB'
            print(line, flush=True)
            if wrong:
                print(f'  FAILED: {wrong[:2000]}')
            passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f'{passed} passed, {failed} failed')
    return failed != 0


sys.exit(main())
