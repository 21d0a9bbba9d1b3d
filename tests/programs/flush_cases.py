#!/usr/bin/env python3
"""No public case about flushes is forgotten: each id of tests/data/cases/flush.jsonl is the name and the tag of a test
case, or README.md there says why it is none (`* ID (no test): reason`)."""

import collections
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = ROOT / 'tests/data/cases'
passed = failed = 0


def check(good, what):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f'FAILED {what}')


cases = [json.loads(line) for line in (CASES / 'flush.jsonl').read_text().splitlines()]
ids = [case['id'] for case in cases]
check(len(ids) == 26 and len(set(ids)) == len(ids), f'there are 26 cases, each once: {ids}')

tests = collections.Counter()
for source in sorted((ROOT / 'tests/unit').glob('flush_cases*.cpp')):
    for name, tag in re.findall(r'TEST_CASE\("([^":]+):[^"]*",\s*"\[([^]]+)\]"\)', source.read_text()):
        check(name == tag, f'{source.name}: {name} has the tag {tag}')
        tests[name] += 1

readme = (CASES / 'README.md').read_text()
reasons = set(re.findall(r'^\* (\w+) \(no test\): \S', readme, re.M))
mentioned = {name for line in re.findall(r'^\* ([^:]+):', readme, re.M) for name in re.findall(r'[A-Z]\d+', line)}

for case in cases:
    check('i' in case['expressible'] and case['source'], f'{case["id"]} is a case about a decision, and has a source')
    check(tests[case['id']] + (case['id'] in reasons) == 1, f'{case["id"]} is one test, or listed with a reason')
check(set(tests) <= set(ids), f'every test is of a known case: {set(tests) - set(ids)}')
check(mentioned <= set(ids), f'README.md mentions known cases only: {mentioned - set(ids)}')
print(f'{passed} passed, {failed} failed')
