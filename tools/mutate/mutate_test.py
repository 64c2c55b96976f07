#!/usr/bin/env python3
"""Tests of mutate on a project whose "test program" is a copied script, so that no compiler is needed."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPT = Path(__file__).resolve().parent / 'mutate'
loader = importlib.machinery.SourceFileLoader('mutate', str(SCRIPT))
spec = importlib.util.spec_from_loader('mutate', loader)
mutate = importlib.util.module_from_spec(spec)
sys.modules['mutate'] = mutate
loader.exec_module(mutate)

PRESETS = '''{"version": 6, "configurePresets": [
  {"name": "tiny", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}]}'''
CMAKE = '''cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES NONE)
add_custom_target(tiny_test COMMAND sh -n ${CMAKE_SOURCE_DIR}/tiny.sh
  COMMAND install -m 755 ${CMAKE_SOURCE_DIR}/tiny.sh ${CMAKE_BINARY_DIR}/tiny_test)
'''
# Prints like GoogleTest. Two cases, of which a filter may select one; the second does not depend on `weight`.
TINY = '''#!/bin/sh
limit=3
weight=2
spare=1
status=0
run_case() {
  case "$filter" in *"$1"*|-*) ;; *) return ;; esac
  echo "[ RUN      ] $1"
  if [ "$2" = "$3" ]; then echo "[       OK ] $1 (0 ms)"; else echo "[  FAILED  ] $1 (0 ms)"; status=1; fi
}
filter=${1#--gtest_filter=}
run_case Tiny.LimitIsThree "$limit" 3
run_case Tiny.WeightIsTwo "$weight" 2
exit $status
'''


def stanza(**fields):
    one = {'name': 'limit', 'why': 'too many are requested', 'file': 'tiny.sh', 'before': 'limit=3', 'after': 'limit=4',
           'program': 'tiny_test', **fields}
    return '\n'.join(f'{key}: {value}' for key, value in one.items() if value is not None) + '\n'


class MutateTestCase(unittest.TestCase):
    """A temporary repository with lists of mutants."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write('CMakePresets.json', PRESETS)
        self.write('CMakeLists.txt', CMAKE)
        self.write('tiny.sh', TINY)
        self.write('.gitignore', '/build/\n')

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding='utf-8')

    def lists(self, *stanzas):
        self.write('tools/mutate/mutants/list.txt', '# a comment\n' + '\n'.join(stanzas))

    def git(self, *arguments):
        subprocess.run(['git', '-C', self.root, '-c', 'user.name=t', '-c', 'user.email=t@t', *arguments], check=True,
                       stdout=subprocess.DEVNULL)

    def commit(self):
        if not (self.root / '.git').exists():
            self.git('init', '--quiet')
        self.git('add', '-A')
        self.git('commit', '--quiet', '-m', 'tiny')

    def mutate(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = mutate.main(['--preset', 'tiny', '--jobs', '1', *arguments], self.root)
        return status, out.getvalue()

    def committed(self, *arguments):
        self.commit()
        return self.mutate(*arguments)


class MutantRuns(MutateTestCase):
    def test_a_mutant_is_caught_by_the_case_that_fails(self):
        self.lists(stanza())
        status, output = self.committed()
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r'limit +tiny_test +Tiny\.LimitIsThree\n')
        self.assertIn('1 of 1 caught', output)

    def test_a_survivor_fails_the_run_and_is_reported_with_its_reason(self):
        self.lists(stanza(), stanza(name='spare', before='spare=1', after='spare=2', why='no test checks it'))
        status, output = self.committed()
        self.assertEqual(status, 1)
        self.assertRegex(output, r'spare +tiny_test +SURVIVED')
        self.assertIn('spare is not caught: no test checks it', output)
        self.assertIn('1 of 2 caught', output)

    def test_only_test_cases_of_the_filter_are_run(self):
        self.lists(stanza(filter='Tiny.WeightIsTwo'))
        status, output = self.committed()
        self.assertEqual(status, 1)
        self.assertIn('SURVIVED', output)

    def test_each_mutant_is_applied_to_the_original_file(self):
        self.lists(stanza(), stanza(name='weight', before='weight=2', after='weight=3'),
                   stanza(name='spare', before='spare=1', after='spare=2'))
        status, output = self.committed()
        self.assertEqual(status, 1)
        self.assertRegex(output, r'weight +tiny_test +Tiny\.WeightIsTwo\n')
        self.assertRegex(output, r'spare +tiny_test +SURVIVED')

    def test_an_empty_replacement_removes_the_text(self):
        self.lists(stanza(before='limit=3', after=''))
        self.assertEqual(self.committed()[0], 0)

    def test_uncommitted_changes_are_neither_used_nor_modified(self):
        self.lists(stanza())
        self.commit()
        self.write('tiny.sh', TINY + '# mine\n')
        status, output = self.mutate()
        self.assertEqual(status, 0, output)
        self.assertEqual((self.root / 'tiny.sh').read_text(encoding='utf-8'), TINY + '# mine\n')

    def test_the_next_run_uses_the_next_commit(self):
        self.lists(stanza(name='spare', before='spare=1', after='spare=2'))
        self.assertEqual(self.committed()[0], 1)
        self.write('tiny.sh', TINY.replace('exit $status', 'run_case Tiny.Spare "$spare" 1\nexit $status'))
        status, output = self.committed()
        self.assertEqual(status, 0, output)
        self.assertIn('Tiny.Spare', output)

    def test_a_run_works_after_the_build_folder_was_removed(self):
        self.lists(stanza())
        self.assertEqual(self.committed()[0], 0)
        subprocess.run(['rm', '-rf', self.root / 'build'], check=True)
        self.assertEqual(self.mutate()[0], 0)

    def test_a_mutant_that_does_not_compile_fails_the_run(self):
        self.lists(stanza(after='limit=('))
        status, output = self.committed()
        self.assertEqual(status, 1)
        self.assertIn('DOES NOT COMPILE', output)

    def test_an_exit_code_without_a_failed_case_fails_the_run(self):
        self.lists(stanza(before='status=0', after='status=9'))
        status, output = self.committed()
        self.assertEqual(status, 1)
        self.assertIn('exit 9, but no case failed', output)

    def test_a_crash_is_caught_by_the_case_that_was_running(self):
        self.lists(stanza(before='if [ "$2"', after='kill -SEGV $$; if [ "$2"'))
        status, output = self.committed()
        self.assertEqual(status, 0, output)
        self.assertIn('Tiny.LimitIsThree (killed by signal 11)', output)

    def test_a_program_that_fails_on_the_unchanged_tree_fails_the_run(self):
        self.write('tiny.sh', TINY.replace('weight=2', 'weight=1'))
        self.lists(stanza())
        status, output = self.committed()
        self.assertEqual(status, 1)
        self.assertIn('fails on the unchanged tree', output)

    def test_a_filter_that_matches_no_case_fails_the_run(self):
        self.lists(stanza(filter='Tiny.Gone'))
        status, output = self.committed()
        self.assertEqual(status, 1)
        self.assertIn('no case for the filter Tiny.Gone', output)

    def test_the_option_only_selects_mutants_by_name(self):
        self.lists(stanza(), stanza(name='spare', before='spare=1', after='spare=2'))
        status, output = self.committed('--only', 'lim*')
        self.assertEqual(status, 0, output)
        self.assertIn('1 of 1 caught', output)
        status, output = self.mutate('--only', 'gone')
        self.assertEqual(status, 1)
        self.assertIn('no mutant is called gone', output)


class MutantLists(MutateTestCase):
    def refused(self, because, *stanzas):
        self.lists(*stanzas)
        status, output = self.mutate('--check')
        self.assertEqual(status, 1)
        self.assertIn(because, output)

    def test_a_filter_that_names_no_case_of_the_sources_fails_the_check(self):
        self.write('src/tiny_test.cc', 'TEST(Tiny, LimitIsThree) {}\nTEST_P(Pairs, Agree) {}\n')
        self.refused('no case is called Circles*', stanza(filter='Circles*'))
        self.refused('no case is called Tiny.Gone', stanza(filter='Tiny.Gone'))
        self.lists(stanza(filter='Tiny.*'), stanza(name='two', filter='All/Pairs.Agree/3'), stanza(name='three', filter='-Tiny.*'),
                   stanza(name='four', filter='Gone.*:Tiny.Limit*-Tiny.WeightIsTwo'))
        self.assertEqual(self.mutate('--check'), (0, ''))

    def test_a_list_that_can_be_applied_passes_the_check(self):
        self.lists(stanza(), stanza(name='weight', before='weight=2', after='weight=20'))
        self.assertEqual(self.mutate('--check'), (0, ''))

    def test_the_option_list_prints_the_mutants(self):
        self.lists(stanza())
        self.assertEqual(self.mutate('--list'), (0, 'limit: too many are requested (tiny.sh, tiny_test)\n'))

    def test_the_text_of_a_mutant_must_be_found_exactly_once(self):
        self.refused('limit: "limit=9" is found 0 times in tiny.sh, not once', stanza(before='limit=9'))
        self.refused('limit: "echo" is found 3 times in tiny.sh, not once', stanza(before='echo'))

    def test_a_text_that_is_not_found_stops_the_run(self):
        self.lists(stanza(before='limit=9'))
        status, output = self.committed()
        self.assertEqual(status, 1)
        self.assertIn('is found 0 times', output)
        self.assertFalse((self.root / 'build').exists())

    def test_a_text_that_is_only_in_uncommitted_changes_stops_the_run(self):
        self.lists(stanza(before='# mine', after='# yours'))
        self.commit()
        self.write('tiny.sh', TINY + '# mine\n')
        status, output = self.mutate()
        self.assertEqual(status, 1)
        self.assertIn('is found 0 times', output)
        self.assertFalse((self.root / 'build' / 'mutate' / 'tree' / 'build').exists(), 'no build was started')

    def test_errors_in_a_list_are_reported_with_their_line(self):
        self.refused('list.txt:2: the stanza has no program', stanza(program=None))
        self.refused('list.txt:2: why is empty', stanza(why=''))
        self.refused('list.txt:8: write one of name, why', stanza() + 'becuase: x\n')
        self.refused('list.txt:8: file is listed twice', stanza() + 'file: x\n')
        self.refused('changes nothing', stanza(after='limit=3'))
        self.refused('limit is also in', stanza(), stanza())
        self.refused('there is no gone.sh', stanza(file='gone.sh'))


if __name__ == '__main__':
    os.environ['GIT_CONFIG_GLOBAL'] = os.devnull
    unittest.main()
