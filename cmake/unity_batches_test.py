"""Which files may be compiled together, and which may not."""

import unittest

from unity_batches import batches_of, names_of


def own(body):
    return f'namespace a {{\nnamespace {{\n{body}\n}}\n}}\n'


class Names(unittest.TestCase):
    def names(self, body):
        return set(names_of(own(body))[0])

    def test_functions_variables_types_and_enumerators_of_an_unnamed_namespace(self):
        self.assertEqual(self.names('std::string text_of(const Pod& pod, int at = 0) { return {}; }'), {'a text_of'})
        self.assertEqual(self.names('constexpr std::string_view kHost = "h";'), {'a kHost'})
        self.assertEqual(self.names('const std::map<std::string, int> kX{{"a", 1}};'), {'a kX'})
        self.assertEqual(self.names('struct Lab : Base { int inside; };'), {'a Lab'})
        self.assertEqual(self.names('enum : unsigned { kOne = 1U, kTwo };'), {'a kOne', 'a kTwo'})
        self.assertEqual(self.names('enum class Color { kRed };'), {'a Color'})
        self.assertEqual(self.names('template <class T, class U = X<T>> T first(U u);'), {'a first'})
        self.assertEqual(self.names('using Pairs = std::vector<Pair>;'), {'a Pairs'})

    def test_what_is_no_name_of_the_file(self):
        self.assertEqual(self.names('TEST(Suite, Name) { int local = 0; }'), set())
        self.assertEqual(self.names('// int comment;\n'), set())
        self.assertEqual(self.names('namespace json = boost::json;'), set())
        self.assertEqual(set(names_of('namespace a { int shared(int x) { return x; } }')[0]), set())

    def test_names_of_a_header_are_those_of_its_namespaces(self):
        self.assertEqual(set(names_of('namespace a { int shared(int x); class C { int member; }; }', header=True)[0]),
                         {'a shared', 'a C'})

    def test_using_directives(self):
        self.assertEqual(names_of('namespace a { using namespace b; using namespace std::chrono_literals; }')[1], {'a b'})


class Batches(unittest.TestCase):
    def batches(self, *texts, size=9, shared=frozenset()):
        return batches_of(list(enumerate(texts)), size, shared)

    def test_files_share_a_batch_up_to_its_size(self):
        self.assertEqual(self.batches(own('int a;'), own('int b;'), own('int c;'), size=2), [[0, 1], [2]])

    def test_files_with_one_name_are_kept_apart_and_later_ones_fill_up(self):
        self.assertEqual(self.batches(own('int x;'), own('int x;'), own('int y;')), [[0, 2], [1]])

    def test_the_same_using_declaration_is_no_clash_and_another_one_is(self):
        self.assertEqual(self.batches('using b::C;', 'using b::C;', 'using d::C;'), [[0, 1], [2]])

    def test_files_that_open_different_namespaces_are_kept_apart(self):
        self.assertEqual(self.batches('using namespace b;', 'using namespace c;', 'using namespace b;'), [[0, 2], [1]])

    def test_a_name_that_a_header_has_too_comes_first_and_away_from_its_users(self):
        found = self.batches(own('int other;'), own('int key_of;'), 'int f() { return key_of(1); }', shared={'a key_of'})
        self.assertEqual(found, [[1, 0], [2]])


if __name__ == '__main__':
    unittest.main()
