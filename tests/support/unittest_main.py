"""unittest.main() that does not report a skipped test as success: exit 0 all passed, 1 some failed, 77 some were skipped.

    python3 unittest_main.py MODULE [unittest's arguments]     or, in a script:     unittest_main.main(verbosity=2)
"""

import sys
import unittest

SKIPPED = 77  # SKIP_RETURN_CODE of our ctest entries


def main(module='__main__', **settings):
    result = unittest.main(module=module, exit=False, **settings).result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun == 0:
        sys.exit('no test was run')
    for test, reason in result.skipped:
        print(f'skipped: {test}: {reason}', file=sys.stderr)
    sys.exit(SKIPPED if result.skipped else 0)


if __name__ == '__main__':
    sys.path.insert(0, '.')
    main(module=sys.argv[1], argv=[sys.argv[1], *sys.argv[2:]])
