"""live_flush: this machine's kernel flushes what the library predicts. Skipped where that cannot be measured."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(os.environ.get('PTE_BUILD', ROOT / 'build')) / 'examples/live_flush'
passed = failed = 0


def check(good, what, detail=''):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f'FAILED {what}: {detail}')


def run(*args, **how):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True, timeout=300, **how)


for bad in (['--repeat', '0'], ['--repeat', 'x'], ['--nonesuch'], ['--repeat', '1001']):
    result = run(*bad)
    check(result.returncode == 2 and result.stderr.count('\n') == 1, f'bad option {bad}', result)

result = run()
print(result.stdout + result.stderr, end='')
if result.returncode == 77:
    check(result.stderr.startswith('live_flush: not possible here: '), 'says why it skips', result.stderr)
    if failed == 0:
        raise SystemExit(77)
else:
    check(result.returncode == 0, 'all as predicted', f'status {result.returncode}')
    check('20 of 20' in result.stdout, 'measured', 'no change was measured 20 times')

if os.geteuid() == 0 and result.returncode == 0:
    try:
        result = run(user=65534, group=65534, extra_groups=[])
    except OSError:
        pass  # that user may not even start the program
    else:
        check(result.returncode in (0, 77), 'without root', result)
        check(result.returncode == 0 or 'needs root' in result.stderr, 'says that it needs root', result.stderr)

print(f'{passed} passed, {failed} failed')
raise SystemExit(1 if failed else 0)
