"""Puts the files of each target into batches that compile as one file (cmake/Unity.cmake).

    unity_batches.py SPEC OUT ROOT SIZE    SPEC: lines "target;file;file..."; writes OUT/<target>_<n>.cc and OUT/batches.cmake

Files of one folder share a namespace, so two of them may use the same name in their unnamed namespaces. The batch then adds a
number to the name in the second file, by a macro around that file (`#define key_of key_of_7`). If a macro would change more than
that name, the files go to different batches. No file has to change for the build. The parser understands C++ in our format, not
all of C++: a clash that it misses is a compile error, never a wrong program.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'tools' / 'lint'))
from cpp_text import blank  # noqa: E402

_MACRO = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', re.M)
_DIRECTIVE = re.compile(r'^[ \t]*#.*?(?<!\\)$', re.M | re.S)
_TOKEN = re.compile(r'\w+|::|[^\w\s]')
_KEYWORDS = {'const', 'constexpr', 'constinit', 'static', 'inline', 'noexcept', 'override', 'final', 'auto', 'operator'}


def _declared(tokens):
    """The name that a declaration at namespace scope introduces, or None. The tokens end before its body or initializer."""
    if not tokens or tokens[0] in ('template', 'friend', 'static_assert', 'extern'):
        if not tokens or tokens[0] != 'template':
            return None
        depth = 0
        for at, token in enumerate(tokens[1:], 1):
            depth += (token == '<') - (token == '>')
            if depth == 0:
                return _declared(tokens[at + 1:])
        return None
    if tokens[0] == 'namespace' or re.fullmatch(r'[A-Z][A-Z0-9_]+', tokens[0]):  # an alias, or a macro such as TEST_F
        return None
    if tokens[0] == 'using':
        return tokens[1] if len(tokens) > 2 and tokens[2] == '=' else None
    for at, token in enumerate(tokens):
        if token in ('struct', 'class', 'enum', 'union', 'concept') and at < 2:
            rest = [word for word in tokens[at + 1:] if word not in ('class', 'struct')]
            return rest[0] if rest and re.match(r'\w', rest[0]) else None
    depth = 0
    last = None
    for at, token in enumerate(tokens):
        depth += (token in '<[') - (token in '>]')
        if depth == 0 and token in ('(', '=', '{', ';') and last:
            return last
        if depth == 0 and re.match(r'[A-Za-z_]', token) and token not in _KEYWORDS:
            last = None if at and tokens[at - 1] == 'operator' else token
        if token == '::' or (depth == 0 and token == 'operator'):
            last = None
    return last


def names_of(text, header=False):
    """What a file adds to the scopes that it shares with its batch: ({name: how}, {namespaces that it opens with using}).
    For a header, every name that it declares at namespace scope."""
    names = {macro: 'macro' for macro in _MACRO.findall(text)}
    directives = set()
    scopes = []  # for each open brace: the name of the namespace, '' for an unnamed one, None for anything else
    pending = []
    tokens = _TOKEN.findall(_DIRECTIVE.sub('', blank(text)))
    parentheses = 0
    argument = 0  # depth inside the braces of an argument, which is not a scope of names
    enumerating = False  # inside an unscoped enum, whose enumerators are names of the enclosing scope
    for token, before in zip(tokens, [''] + tokens):
        at_scope = None not in scopes
        if enumerating and before in '{,' and re.match(r'[A-Za-z_]', token):
            _note(names, enclosing, [token], header)
        if token in '()':
            parentheses += 1 if token == '(' else -1
        if argument or (token == '{' and at_scope and parentheses > 0):
            argument += (token == '{') - (token == '}')
            continue
        if token == '{':
            if at_scope and pending[:1] == ['namespace'] or pending[:2] == ['inline', 'namespace']:
                scopes.append(''.join(pending[pending.index('namespace') + 1:]))
            else:
                _note(names, scopes, pending, header)
                enumerating = at_scope and pending[:1] == ['enum'] and pending[1:2] not in (['class'], ['struct'])
                enclosing = scopes[:]
                scopes.append(None)
            pending = []
        elif token == '}':
            enumerating = False
            if scopes:
                scopes.pop()
            pending = []
        elif token == ';' and parentheses == 0:
            if at_scope and pending[:2] == ['using', 'namespace']:
                directives.add('::'.join(scopes) + ' ' + ''.join(pending[2:]))
            elif at_scope and pending[:1] == ['using'] and '=' not in pending:
                names['::'.join(filter(None, scopes)) + ' ' + pending[-1]] = ''.join(pending[1:])
            else:
                _note(names, scopes, pending, header)
            pending = []
        elif at_scope:
            pending.append(token)
    return names, {name for name in directives if 'literals' not in name}


def _note(names, scopes, tokens, header):
    if None in scopes or not (header or '' in scopes or 'static' in tokens):
        return
    name = _declared(tokens + [';'])
    if name:
        names['::'.join(filter(None, scopes)) + ' ' + name] = 'defined'


# Found by argument-dependent lookup from library code, which does not see our macros.
_LOOKED_UP = {'PrintTo', 'showValue', 'tag_invoke', 'hash_value', 'swap', 'begin', 'end'}
_INCLUDE = re.compile(r'^#include[ \t]+([<"][^>"]+[>"])', re.M)


def renamable(name, text):
    """Whether a macro that renames `name` in this file changes only the name in its unnamed namespace."""
    return not (name in _LOOKED_UP
                or re.search(r'^[ \t]*#[ \t]*if', text, re.M)  # its headers depend on a condition
                or re.search(rf'(?:\.|->|::|~)\s*{name}\b', text)  # a member, or a name of another namespace
                or re.search(rf'\b{name}\([^;{{]*\boverride\b', text)
                or re.search(rf'\b(?:TEST|TYPED|INSTANTIATE|RC_GTEST)\w*\(\s*{name}\b', text))  # would rename the test


def batches_of(files, size, shared={}):
    """Lists of at most `size` of the (path, text) pairs, in order, each as (path, names to rename in it). After renaming, no two
    files of a list share a name. A file that redefines a name of a header (`shared`: name -> headers) is renamed too. If that is not
    possible, the file comes first, before that header is included, and no other file of its list uses the name."""
    batches = []
    for path, text in files:
        names, directives = names_of(text)
        words = set(re.findall(r'\w+', text))
        def free(some):
            return all(names[name] == 'defined' and renamable(name.split(' ')[-1], blank(text)) for name in some)

        included = {header.strip('<>"') for header in _INCLUDE.findall(text)}
        own = {name for name, how in names.items() if how == 'defined' and name in shared}
        numbered = {name for name in own if included.isdisjoint(shared[name]) and free([name])}
        own = {name.split(' ')[-1] for name in own - numbered}
        for batch in batches:
            clash = {name for name, how in names.items()
                     if name in batch['names'] and (how == 'defined' or how != batch['names'][name])}
            if (len(batch['files']) < size and batch['directives'] == directives
                    and not own & batch['words'] and not batch['own'] & words and not (own and batch['own'])
                    and free(clash)):
                break
        else:
            batch = {'files': [], 'names': {}, 'directives': directives, 'words': set(), 'own': set()}
            batches.append(batch)
            clash = set()
        renamed = sorted({name.split(' ')[-1] for name in clash | numbered})
        batch['files'].insert(0 if own else len(batch['files']), (path, renamed))
        batch['names'] |= names
        batch['words'] |= words
        batch['own'] |= own
    return [batch['files'] for batch in batches]


def lines_of(path, renamed, number, root):
    """How a batch includes one of its files. The headers come first: a macro must not affect them."""
    file = f'#include "{Path(path).relative_to(root)}"\n'
    if not renamed:
        return file
    return (''.join(f'#include {header}\n' for header in _INCLUDE.findall(Path(path).read_text()))
            + ''.join(f'#define {name} {name}_{number}\n' for name in renamed)
            + file
            + ''.join(f'#undef {name}\n' for name in renamed))


def main(spec, out, root, size):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    lines = []
    wanted = set()
    shared = {}
    for folder in ('src', 'tests'):
        for file in Path(root, folder).rglob('*.h'):
            for name, how in names_of(file.read_text(), header=True)[0].items():
                if how == 'defined':
                    shared.setdefault(name, []).append(str(file.relative_to(Path(root, folder))))
    for line in Path(spec).read_text().splitlines():
        target, *paths = line.split(';')
        made = []
        for number, batch in enumerate(batches_of([(path, Path(path).read_text()) for path in paths], int(size), shared), 1):
            text = ''.join(lines_of(*file, at, root) for at, file in enumerate(batch, 1))
            file = out / f'{target}_{number}.cc'
            if not file.exists() or file.read_text() != text:
                file.write_text(text)
            wanted.add(file)
            made.append(str(file))
        lines.append(f'set(unity_{target} {" ".join(made)})\n')
    for old in set(out.glob('*.cc')) - wanted:
        old.unlink()
    (out / 'batches.cmake').write_text(''.join(lines))


if __name__ == '__main__':
    main(*sys.argv[1:])
