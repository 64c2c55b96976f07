#!/usr/bin/env python3
"""Tests of the lints: what they must accept, and what they must report, with the line."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import await_lint  # noqa: E402
import layer_lint  # noqa: E402
import retired_lint  # noqa: E402
import size_lint  # noqa: E402


class LintTestCase(unittest.TestCase):
    """A temporary source tree, written from {path: text}."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, files):
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding='utf-8')

    def run_main(self, lint, arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = lint.main(arguments)
        return status, out.getvalue()


class AwaitLint(LintTestCase):
    GOOD = [
        'co_await f(x);',
        'auto v = co_await f(x);',
        'const auto v = co_await client.send(std::move(request));',
        'auto&& v = co_await f(x);',
        'auto [a, b] = co_await f(x);',
        'const auto [a, b] = co_await f(x);',
        'Result<std::vector<Pod>> r = co_await f(x);',
        'const std::pair<int, long> r = co_await f(x);',
        'v = co_await f(x);',
        'this->v_ = co_await f(x);',
        'state.v = co_await f(x);',
        '(void)co_await f(x);',
        'co_return co_await f(x);',
        '[[maybe_unused]] auto v = co_await f(x);',
        'if (ready) co_await f(x);',
        'if (a(b) && c) co_return co_await f(x);',
        'if (a) { b(); } else co_await f(x);',
        'switch (k) { case Kind::A: co_await f(x); break; default: co_await g(x); }',
        'co_await stream->read(buffer[0], size + 1);',
        'auto v = co_await f<int, 3>(x, "{", \'{\');',
        '// if (co_await f(x)) {}',
        '/* co_await f({}) */',
        'auto text = R"(if (co_await f({})) ;)";',
        'const int n = 1\'000; co_await f(n);',
        'for (const auto& x : xs) { co_await f(x); }',
        'co_return Result<void>{};',
        'co_return Input{input::Woke{}};',
        'co_return std::size_t{0};',
        'net::Task<void> f(std::string a, std::string b = {}, const Options& c = kUsual);',
    ]
    BAD = [
        ('if (co_await f(x)) g();', 'whole statement'),
        ('while (co_await f(x)) g();', 'whole statement'),
        ('switch (co_await f(x)) {}', 'whole statement'),
        ('for (auto x = co_await f(); x;) g();', 'whole statement'),
        ('if (auto v = co_await f(x); v) g();', 'whole statement'),
        ('g(co_await f(x));', 'whole statement'),
        ('auto v = g(co_await f(x));', 'whole statement'),
        ('auto v = (co_await f(x)).value();', 'whole statement'),
        ('return_value = 1 + co_await f(x);', 'whole statement'),
        ('Pair p{co_await f(x), 1};', 'whole statement'),
        ('co_await f({1, 2});', 'braced'),
        ('auto v = co_await f(Request{.path = p});', 'braced'),
        ('co_await f([x] { return x; });', 'braced'),
        ('co_return Found{text};', 'braced'),
        ('net::Task<Result<T>> update(T object, WriteOptions options = {}, std::string sub = {}) { return x(); }', 'braced'),
        ('if (!a) co_return failure(Error{Errc::Invalid, text()});', 'braced'),
        ('co_await f([x](int y) -> int y);', 'lambda'),
        ('co_await f(co_await g(x));', 'two awaits'),
        ('co_await f(x ? y : z);', 'a conditional'),
        ('auto v = co_await (a() && b());', 'operators'),
        ('auto v = co_await (a() || b());', 'operators'),
        ('auto v = co_await f(x) + 1;', 'larger expression'),
        ('auto v = co_await f(x) ? 1 : 2;', 'larger expression'),
        ('auto v = co_await f(x) == 3;', 'larger expression'),
        ('auto v = co_await f(x) * 3;', 'larger expression'),
    ]

    def test_safe_expressions_are_accepted(self):
        for line in self.GOOD:
            with self.subTest(line):
                self.assertEqual(await_lint.check_text(f'Task f() {{\n  {line}\n}}\n', 'a.cc'), [])

    def test_unsafe_expressions_are_reported_with_their_line(self):
        for line, why in self.BAD:
            with self.subTest(line):
                found = await_lint.check_text(f'Task f() {{\n\n  {line}\n}}\n', 'a.cc')
                self.assertTrue(found)
                self.assertTrue(found[0].startswith('a.cc:3: '), found[0])
                self.assertIn(why, found[0])

    def test_the_exit_status_is_one_on_findings_and_zero_without(self):
        self.write({'src/a.cc': 'co_await f({});\n', 'clean/b.cc': 'co_await f(x);\n', 'src/build/c.cc': 'co_await f({});\n'})
        status, out = self.run_main(await_lint, [str(self.root / 'src')])
        self.assertEqual((status, out.count('\n')), (1, 1))
        self.assertEqual(self.run_main(await_lint, [str(self.root / 'clean')]), (0, ''))


class LayerLint(LintTestCase):
    def setUp(self):
        super().setUp()
        self.write({
            'src/base/CMakeLists.txt': 'rescheduler_library(base LAYER 0\n  SOURCES a.cc)',
            'src/net/CMakeLists.txt': 'rescheduler_library(net LAYER 1 SOURCES a.cc DEPS base EXTERNAL x)',
            'src/kube/CMakeLists.txt': 'rescheduler_library(kube LAYER 2\n  SOURCES\n    v/a.cc\n  DEPS net # base cli\n  TESTS b)',
            'src/cluster/CMakeLists.txt':
                'rescheduler_library(cluster LAYER 3 DEPS kube TESTS a_test.cc TEST_EXTERNAL rescheduler_sim rapidcheck)',
            'src/sim/CMakeLists.txt': 'rescheduler_library(sim LAYER 4 DEPS cluster kube)',
            'src/cli/CMakeLists.txt': 'add_executable(rescheduler main.cc)\n'
                                      'target_link_libraries(rescheduler PRIVATE rescheduler_kube rescheduler_sim CLI11)',
        })

    def found(self, path, *includes):
        self.write({path: '\n' + ''.join(f'#include {include}\n' for include in includes)})
        found = layer_lint.check(self.root / 'src')
        (self.root / path).unlink()
        return found

    def test_includes_of_the_own_folder_and_of_dependencies_are_accepted(self):
        self.assertEqual(self.found('src/kube/v/a.cc', '"kube/v/a.h"', '"net/a.h"', '"base/a.h"', '<vector>', '"kube/x.pb.h"'), [])
        self.assertEqual(self.found('src/cli/main.cc', '"kube/a.h"', '"base/a.h"', '"sim/a.h"', '"cluster/a.h"'), [])

    def test_an_upward_include_is_reported_with_its_line(self):
        found = self.found('src/base/a.h', '"base/b.h"', '"kube/a.h"')
        self.assertEqual(len(found), 1)
        self.assertIn('src/base/a.h:3: src/base may not include src/kube', found[0])
        self.assertTrue(self.found('src/kube/a_test.cc', '"cluster/a.h"'))

    def test_an_unknown_folder_and_a_missing_folder_are_reported(self):
        self.assertIn('no folder src/ghost', self.found('src/net/a.cc', '"ghost/a.h"')[0])
        self.assertIn('with its folder', self.found('src/net/a.cc', '"a.h"')[0])

    def test_impure_includes_in_pure_folders_are_reported(self):
        for header in ('<boost/asio/ip/tcp.hpp>', '<boost/asio.hpp>', '<openssl/ssl.h>', '<thread>', '<mutex>', '<future>',
                       '<spdlog/spdlog.h>', '"base/log.h"', '"net/http/http.h"'):
            with self.subTest(header):
                found = self.found('src/cluster/a.cc', header)
                self.assertEqual(len(found), 1)
                self.assertIn('pure', found[0])
        self.assertEqual(self.found('src/cluster/a.cc', '<random>', '"base/clock.h"', '"kube/a.h"'), [])
        self.assertEqual(self.found('src/cluster/a_test.cc', '<thread>'), [])

    def test_only_cli_and_tests_may_include_the_simulator(self):
        self.write({'src/cluster/CMakeLists.txt': 'rescheduler_library(cluster LAYER 5 DEPS kube sim)'})
        self.assertIn('only src/cli and tests', self.found('src/cluster/a.cc', '"sim/a.h"')[0])
        self.assertEqual(self.found('src/cluster/a_test.cc', '"sim/a.h"'), [])
        self.assertEqual(self.found('src/sim/a.cc', '"sim/a.h"'), [])

    def test_tests_may_include_the_libraries_of_test_external(self):
        self.assertEqual(self.found('src/cluster/a_test.cc', '"sim/a.h"'), [])

    def test_the_exit_status_is_one_on_findings(self):
        self.write({'src/base/a.h': '#include "net/a.h"\n'})
        status, out = self.run_main(layer_lint, [str(self.root / 'src')])
        self.assertEqual((status, out.count('\n')), (1, 1))


class RetiredLint(LintTestCase):
    LIST = (
        '# a comment\n'
        '\n'
        'identifier PlacedPod -> AssignedPod\n'
        'identifier Refusal -> StatusError in src/sim/*\n'
        'phrase pods of nobody -> bare pods\n'
    )

    def check(self, files, entries=LIST):
        self.write({'retired.txt': entries, **files})
        return [line.removeprefix(f'{self.root}/') for line in retired_lint.check(self.root, self.root / 'retired.txt')]

    def test_an_identifier_is_found_in_code_with_its_line(self):
        self.assertEqual(self.check({'src/cluster/a.h': '#pragma once\nstruct PlacedPod {};\n'}),
                         ["src/cluster/a.h:2: 'PlacedPod' is retired: write AssignedPod"])

    def test_an_identifier_is_allowed_in_comments_strings_and_docs(self):
        self.assertEqual(self.check({
            'src/cluster/a.cc': '// once PlacedPod\nauto x = "PlacedPod";\n',
            'docs/a.md': 'Once it was called PlacedPod.\n',
        }), [])

    def test_a_longer_identifier_is_not_a_finding(self):
        self.assertEqual(self.check({'src/a.cc': 'int PlacedPods, NotPlacedPod, PlacedPod_;\n'}), [])

    def test_an_entry_with_globs_applies_only_to_matching_files(self):
        found = self.check({'src/sim/frontend/a.h': 'struct Refusal;\n', 'src/planner/a.h': 'struct Refusal;\n'})
        self.assertEqual(found, ["src/sim/frontend/a.h:1: 'Refusal' is retired: write StatusError"])

    def test_a_phrase_is_found_in_docs_comments_and_messages(self):
        found = self.check({
            'docs/a.md': 'Moving\nPods of nobody is off.\n',
            'src/a.cc': '// Of pods of nobody.\nauto x = "pods of nobody";\n',
            'scripts/a.py': '# pods of nobody\n',
        })
        self.assertEqual([line.split(': ')[0] for line in found],
                         ['docs/a.md:2', 'scripts/a.py:1', 'src/a.cc:1', 'src/a.cc:2'])

    def test_a_phrase_is_found_across_line_ends(self):
        found = self.check({'docs/a.md': 'Only pods of\n  nobody.\n', 'src/a.cc': 'int a;\n  // pods\n  // of nobody\n'})
        self.assertEqual([line.split(': ')[0] for line in found], ['docs/a.md:1', 'src/a.cc:2'])

    def test_a_phrase_inside_other_words_is_not_a_finding(self):
        self.assertEqual(self.check({'docs/a.md': 'tripods of nobody, pods of nobodys\n'}), [])

    def test_invalid_and_duplicate_entries_are_findings(self):
        found = self.check({}, 'identifier A->B\nidentifier two words -> one\nidentifier A -> B\nidentifier A -> C\n'
                               'identifier A -> D in src/*\n')
        self.assertEqual([line.split(': ')[0] for line in found], ['retired.txt:1', 'retired.txt:2', 'retired.txt:4'])

    def test_the_exit_status_is_one_on_findings_and_zero_without(self):
        self.write({'tools/lint/retired.txt': self.LIST, 'src/a.cc': 'int a;\n'})
        self.assertEqual(self.run_main(retired_lint, [str(self.root)]), (0, ''))
        self.write({'src/a.cc': 'PlacedPod a;\n'})
        self.assertEqual(self.run_main(retired_lint, [str(self.root)])[0], 1)


class SizeLint(LintTestCase):
    def check(self, files, allow=''):
        self.write({**{path: 'x\n' * lines for path, lines in files.items()}, 'allow.txt': allow})
        return size_lint.check(self.root, ('src', 'tests'), self.root / 'allow.txt')

    def test_files_up_to_the_limit_are_accepted(self):
        self.assertEqual(self.check({'src/a.cc': 500, 'src/a_test.cc': 600, 'src/data.txt': 9000}), [])

    def test_files_above_the_limit_are_reported(self):
        found = self.check({'src/a.h': 501, 'tests/a_test.cc': 601})
        self.assertEqual(len(found), 2)
        self.assertIn('src/a.h:501: 501 lines, at most 500', found[0])

    def test_an_exception_with_a_reason_raises_the_limit_of_its_file(self):
        allow = '# why\nsrc/a.cc 700 one table, useless when split\n'
        self.assertEqual(self.check({'src/a.cc': 700}, allow), [])
        self.assertIn('at most 700', self.check({'src/a.cc': 701}, allow)[0])

    def test_exceptions_without_a_reason_or_without_need_are_reported(self):
        self.assertIn('allow.txt:1: write <path>', self.check({'src/a.cc': 3}, 'src/a.cc 700\n')[0])
        self.assertIn('allow.txt:1: src/a.cc needs no exception', self.check({'src/a.cc': 3}, 'src/a.cc 700 old\n')[0])
        self.assertIn('needs no exception', self.check({}, 'src/gone.cc 700 old\n')[0])

    def test_the_exit_status_is_one_on_findings(self):
        self.write({'src/a.cc': 'x\n' * 501})
        self.assertEqual(self.run_main(size_lint, [str(self.root)])[0], 1)


if __name__ == '__main__':
    unittest.main()
