"""Which files may be compiled together, and which may not."""

import tempfile
import unittest
from pathlib import Path

from unity_batches import batches_of, lines_of, names_of, renamable


def own(body):
    return f'namespace a {{\nnamespace {{\n{body}\n}}\n}}\n'


class Names(unittest.TestCase):
    def names(self, body):
        return set(names_of(own(body))[0])

    def test_functions_variables_types_and_enumerators_of_an_unnamed_namespace(self):
        self.assertEqual(self.names('std::string text_of(const Pod& pod, int at = 0) { return {}; }'), {'a text_of'})
        self.assertEqual(self.names('int error_of(Text text, const Limits& limits = {}) { return 0; }\nint next;'),
                         {'a error_of', 'a next'})
        self.assertEqual(self.names('constexpr std::string_view kHost = "h";'), {'a kHost'})
        self.assertEqual(self.names('const std::map<std::string, int> kX{{"a", 1}};'), {'a kX'})
        self.assertEqual(self.names('struct Lab : Base { int inside; };'), {'a Lab'})
        self.assertEqual(self.names('enum : unsigned { kOne = 1U, kTwo };'), {'a kOne', 'a kTwo'})
        self.assertEqual(self.names('enum class Color { kRed };'), {'a Color'})
        self.assertEqual(self.names('template <class T, class U = X<T>> T first(U u);'), {'a first'})
        self.assertEqual(self.names('using Pairs = std::vector<Pair>;'), {'a Pairs'})

    def test_what_is_no_name_of_the_file(self):
        self.assertEqual(self.names('TEST(Suite, Name) { int local = 0; }'), set())
        self.assertEqual(self.names('INSTANTIATE_TEST_SUITE_P(A, B, Range(T{0}, kEnd), [](const auto& x) { return x; });'), set())
        self.assertEqual(self.names('// int comment;\n'), set())
        self.assertEqual(self.names('namespace json = boost::json;'), set())
        self.assertEqual(set(names_of('namespace a { int shared(int x) { return x; } }')[0]), set())

    def test_names_of_a_header_are_those_of_its_namespaces(self):
        self.assertEqual(set(names_of('namespace a { int shared(int x); class C { int member; }; }', header=True)[0]),
                         {'a shared', 'a C'})

    def test_using_directives(self):
        self.assertEqual(names_of('namespace a { using namespace b; using namespace std::chrono_literals; }')[1], {'a b'})


class Batches(unittest.TestCase):
    def renamed(self, *texts, size=9, shared={}):
        return batches_of(list(enumerate(texts)), size, shared)

    def batches(self, *texts, **named):
        return [[path for path, _ in batch] for batch in self.renamed(*texts, **named)]

    def test_files_share_a_batch_up_to_its_size(self):
        self.assertEqual(self.batches(own('int a;'), own('int b;'), own('int c;'), size=2), [[0, 1], [2]])

    def test_a_name_that_two_files_have_is_renamed_in_the_second(self):
        self.assertEqual(self.renamed(own('int x;'), own('int x;'), own('int y;')), [[(0, []), (1, ['x']), (2, [])]])

    def test_where_a_macro_would_change_more_the_files_are_kept_apart_and_later_ones_fill_up(self):
        self.assertEqual(self.batches(own('int x;'), own('int x; int f(S s) { return s.x; }'), own('int y;')), [[0, 2], [1]])

    def test_the_same_using_declaration_is_no_clash_and_another_one_is(self):
        self.assertEqual(self.batches('using b::C;', 'using b::C;', 'using d::C;'), [[0, 1], [2]])

    def test_files_that_open_different_namespaces_are_kept_apart(self):
        self.assertEqual(self.batches('using namespace b;', 'using namespace c;', 'using namespace b;'), [[0, 2], [1]])

    def test_a_name_that_a_header_has_too_is_renamed(self):
        found = self.renamed(own('int other;'), own('int key_of;'), 'int f() { return key_of(1); }', shared={'a key_of': ['a.h']})
        self.assertEqual(found, [[(0, []), (1, ['key_of']), (2, [])]])

    def test_if_it_reads_that_header_it_comes_first_and_away_from_the_name_s_users(self):
        found = self.batches(own('int other;'), '#include "a.h"\n' + own('int key_of;'), 'int f() { return key_of(1); }',
                             shared={'a key_of': ['a.h']})
        self.assertEqual(found, [[1, 0], [2]])

    def test_headers_are_read_before_the_macro(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, 'b.cc')
            file.write_text('#include "b.h"\n\n#include <map>\n' + own('int x;'))
            self.assertEqual(lines_of(file, ['x'], 7, folder),
                             '#include "b.h"\n#include <map>\n#define x x_7\n#include "b.cc"\n#undef x\n')


class Renaming(unittest.TestCase):
    def test_only_what_the_file_alone_knows(self):
        self.assertTrue(renamable('x', 'int x; int f() { return x; }'))
        self.assertFalse(renamable('x', 'int f(S s) { return s.x; }'))
        self.assertFalse(renamable('x', 'int f(S* s) { return s->x(); }'))
        self.assertFalse(renamable('x', 'int f() { return N::x; }'))
        self.assertFalse(renamable('x', 'struct S : B { int x(int i) const override; };'))
        self.assertFalse(renamable('PrintTo', 'void PrintTo(S s, std::ostream* out) {}'))

    def test_a_test_keeps_its_name_and_conditional_headers_stay_where_they_are(self):
        self.assertFalse(renamable('Suite', 'TEST_F(Suite, Name) {}'))
        self.assertFalse(renamable('x', '#ifdef A\n#include "a.h"\n#endif\nint x;'))


if __name__ == '__main__':
    unittest.main()
