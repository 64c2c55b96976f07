"""The fenced blocks of the documents, and the marks that say how they are executed.

A mark is a comment on the lines before a block of commands; readers of the page do not see it:

    <!-- run: embedded -->                 executed by tests/deploy/commands_test, in the order of the page
    <!-- run: real, exit=2 -->             where: local (no cluster), embedded, real; the exit code, if not 0
    <!-- run: local, until=Ctrl-C -->      continues in the background; the text that it prints once it is ready
    <!-- run: real, seconds=2 -->          never ends by itself: stopped after this time
    <!-- run: embedded
    before: kubectl create namespace a
    after: kubectl delete namespace a -->  what the reader has already, and how it is removed again
    <!-- needs: docker -->                 cannot be executed here; the reason
    <!-- covered: tests/deploy/guide_test -->  that test contains every line of it

A block of YAML is a configuration, or a part of a plugin's arguments, and the program checks it (docs_test); or it has a mark:

    <!-- run: embedded -->                 objects: the cluster checks whether it would accept them
    <!-- part: ... -->                     neither; says what it is
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMANDS = ('sh', 'bash', 'console')
PLACES = ('local', 'embedded', 'real')
NEEDS = {
    'docker': 'a Docker engine',
    'network': 'a network beyond this machine',
    'proxy': 'the API server reaching a pod by its address, which neither cluster of the tests has',
    'person': 'an editor, a browser or an interactive terminal',
    'time': 'a build or a measurement of many minutes; `make` targets are checked to exist',
}


@dataclass
class Block:
    page: Path
    line: int
    language: str
    text: str
    mark: str = ''
    run: str = ''
    options: dict = field(default_factory=dict)
    before: list = field(default_factory=list)
    after: list = field(default_factory=list)
    needs: str = ''
    covered: str = ''
    part: str = ''

    @property
    def where(self):
        return f'{self.page.relative_to(ROOT)}:{self.line}'

    def steps(self):
        """Pairs of a command and the output lines that the page shows (None: the page shows none)."""
        if self.language == 'yaml':
            return [(f"kubectl apply --dry-run=server --validate=true -f - <<'YAML'\n{self.text}\nYAML", None)]
        if self.language != 'console':
            return [(self.text, None)]
        made = []
        for line in self.text.splitlines():
            if line.startswith('$ '):
                made.append((line[2:], []))
            elif made and not made[-1][1] and made[-1][0].endswith('\\'):
                made[-1] = (f'{made[-1][0]}\n{line}', [])
            elif made:
                made[-1][1].append(line)
        return made


def read_mark(block):
    for line in block.mark.strip().splitlines():
        key, _, value = (part.strip() for part in line.partition(':'))
        if key == 'run':
            block.run, *options = (part.strip() for part in value.split(','))
            block.options = dict(option.split('=', 1) for option in options)
        elif key in ('before', 'after'):
            getattr(block, key).append(value)
        elif key in ('needs', 'covered', 'part'):
            setattr(block, key, value)
        else:
            raise ValueError(f'{block.where}: unknown mark "{line}"')


def blocks(page):
    """Every fenced block of a page, with its mark."""
    found, lines, at = [], page.read_text().splitlines(), 0
    mark = ''
    while at < len(lines):
        comment = re.match(r'\s*<!--(.*)$', lines[at])
        fence = re.match(r'(\s*)(`{3,})(\w*)\s*$', lines[at])
        if comment:
            text = [comment[1]]
            while '-->' not in text[-1]:
                at += 1
                text.append(lines[at])
            mark = '\n'.join(text).replace('-->', '')
        elif fence:
            start = at
            at += 1
            while not re.match(rf'\s*{fence[2]}\s*$', lines[at]):
                at += 1
            indent = len(fence[1])
            text = '\n'.join(line[indent:] for line in lines[start + 1:at])
            block = Block(page, start + 1, fence[3], text, mark)
            if mark:
                read_mark(block)
            found.append(block)
            mark = ''
        elif lines[at].strip():
            mark = ''
        at += 1
    return found


def pages():
    """The documents; a page in Chinese ends in .zh-CN.md."""
    return sorted([*ROOT.glob('*.md'), *(ROOT / 'docs').rglob('*.md'), ROOT / 'tools/kube-rig/README.md'])


# Values that differ between runs and between machines.
PASSING = (
    (r'[█▉▊▋▌▍▎▏░]+', ''),
    (r'https?://[\w.:-]+', 'URL'),
    (r'(?<![\w.])/(?:tmp|home|root|var)/[\w./-]+', 'PATH'),
    (r'-[0-9a-z]{8,10}-[0-9a-z]{5}\b', '-HASH'),
    (r'\b(?:\d+(?:\.\d+)?(?:d|h|ms|m|s))+\b', 'TIME'),
    (r'\d{4}-\d\d-\d\dT[\d:.]+Z', 'TIME'),
    (r'-?\d+(?:[.,]\d+)*', '0'),
    (r'\s+', ' '),
)


def settled(line):
    for pattern, by in PASSING:
        line = re.sub(pattern, by, line)
    return line.strip()


def unlike(shown, printed):
    """What is wrong with the output that a page shows; empty if it matches the real output. `...` stands for any lines."""
    wanted = [settled(line) for line in shown if line.strip()]
    got = [settled(line) for line in printed.splitlines() if line.strip()]
    if '...' not in wanted:
        return '' if wanted == got else f'shown:\n  {chr(10).join(wanted)}\nprinted:\n  {chr(10).join(got)}'
    at, gap = 0, False
    for line in wanted:
        if line == '...':
            gap = True
            continue
        ahead = got[at:] if gap else got[at:at + 1]
        if line not in ahead:
            return f'"{line}" is missing after line {at} of\n{printed}'
        at += ahead.index(line) + 1
        gap = False
    return '' if gap or at == len(got) else f'more was printed than shown:\n{printed}'
