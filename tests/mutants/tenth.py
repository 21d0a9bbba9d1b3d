#!/usr/bin/env python3
"""A tenth of the mistakes that the tests must notice, another one each day. `tests/run --mutants` tries all."""

import os
import pathlib
import sys

mutants = pathlib.Path(__file__).resolve().parent.parent / 'mutants.py'
os.execv(sys.executable, [sys.executable, str(mutants), '--tenth'])
