"""A test program reports a skipped test with its exit code. It fails if REQUIRE forbids the skip.

    skips_test.py PROGRAM
"""

import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import unittest_main

PROGRAM = sys.argv.pop(1)


def run(case, require=''):
    environment = {**os.environ, 'REQUIRE': require}
    done = subprocess.run([PROGRAM, f'--gtest_filter=Skipping.{case}'], env=environment, capture_output=True, text=True, timeout=30)
    return done.returncode, done.stdout + done.stderr


class Skips(unittest.TestCase):
    def test_what_needs_something_is_skipped_and_named(self):
        code, output = run('SaysWhatItNeeds')
        self.assertEqual(code, 77, output)
        self.assertIn('skipped: Skipping.SaysWhatItNeeds: [data] there is none', output)

    def test_what_this_run_requires_fails(self):
        code, output = run('SaysWhatItNeeds', require='web,data')
        self.assertEqual(code, 1, output)
        self.assertIn('FAILED: Skipping.SaysWhatItNeeds was skipped, and this run requires data', output)

    def test_a_skip_without_a_need_fails(self):
        code, output = run('SaysNothing')
        self.assertEqual(code, 1, output)
        self.assertIn('FAILED: Skipping.SaysNothing skipped itself without saying what it needs', output)

    def test_nothing_skipped_is_a_success(self):
        self.assertEqual(run('DoesNot')[0], 0)

    def test_nothing_run_is_none(self):
        code, output = run('IsNotThere')
        self.assertEqual(code, 1, output)


if __name__ == '__main__':
    unittest_main.main(verbosity=2)
