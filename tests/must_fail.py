#!/usr/bin/env python3
"""A test that is passed by not compiling: must_fail.py SOURCE STAMP DEPFILE COMPILER...

The source's first lines say what the compiler's message must contain: `// expect: TEXT`, or `// expect-gcc: TEXT`
and `// expect-clang: TEXT` where compilers word it differently. Warnings are errors here, so that an ignored
[[nodiscard]] is one."""

import pathlib
import re
import subprocess
import sys

source, stamp, depfile, *compiler = sys.argv[1:]
root = pathlib.Path(__file__).resolve().parent.parent
compiler += ['-std=c++20', '-Wall', '-Wextra', '-Werror', f'-I{root}/include', source]

family = 'clang' if 'clang' in ' '.join(compiler) else 'gcc'
expected = re.findall(rf'^// expect(?:-{family})?: *(.*\S)', pathlib.Path(source).read_text(), re.M)
if not expected:
    sys.exit(f'{source}: no line "// expect: TEXT" says what the compiler must complain about')

# What it includes, so that ninja repeats the test when that changes; to find them, nothing needs to compile.
subprocess.run([*compiler, '-M', '-MT', stamp, '-MF', depfile], check=True)
result = subprocess.run([*compiler, '-fsyntax-only'], capture_output=True, text=True)
if result.returncode == 0:
    sys.exit(f'{source}: compiles, but must not')
missing = [text for text in expected if text not in result.stderr]
if missing:
    sys.exit(f'{source}: does not compile, as it should, but the message lacks {missing}:\n{result.stderr}')
pathlib.Path(stamp).touch()
