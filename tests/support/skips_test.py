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
    def test_a_skip_that_names_its_need_is_reported_and_exits_with_77(self):
        code, output = run('SkipsWithANeed')
        self.assertEqual(code, 77, output)
        self.assertIn('skipped: Skipping.SkipsWithANeed: [data] there is none', output)

    def test_a_skip_of_a_required_need_fails(self):
        code, output = run('SkipsWithANeed', require='web,data')
        self.assertEqual(code, 1, output)
        self.assertIn('FAILED: Skipping.SkipsWithANeed was skipped, and this run requires data', output)

    def test_a_skip_without_a_need_fails(self):
        code, output = run('SkipsWithoutANeed')
        self.assertEqual(code, 1, output)
        self.assertIn('FAILED: Skipping.SkipsWithoutANeed skipped itself without saying what it needs', output)

    def test_a_run_without_skips_succeeds(self):
        self.assertEqual(run('DoesNotSkip')[0], 0)

    def test_a_run_without_tests_fails(self):
        code, output = run('DoesNotExist')
        self.assertEqual(code, 1, output)


if __name__ == '__main__':
    unittest_main.main(verbosity=2)
