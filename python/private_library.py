#!/usr/bin/env python3
"""A copy of a shared library under a name of its own, so that a process loads it beside the original.

usage: private_library.py LIBRARY FOLDER TAG

Protobuf registers every message once in a process, and ends the process where the PJRT plug-in, or
another build of the package, brings the same messages: each needs a protobuf library of its own.
The loader takes two libraries for one where their SONAME is the same; here it becomes another one
of the same length, made of the tag. Prints the path of the copy.
"""

import hashlib
import os
import re
import sys


def main() -> int:
    library, folder, tag = sys.argv[1:]
    with open(library, 'rb') as file:
        content = file.read()
    # The string of DT_SONAME: that of the file's name, up to the version.
    stem = os.path.basename(library).split('.so')[0]
    names = set(re.findall(rb'\0(' + re.escape(stem.encode()) + rb'\.so[.0-9]*)\0', content))
    if len(names) != 1:
        print(f'private_library.py: {library} has {len(names)} names', file=sys.stderr)
        return 1
    old = names.pop()
    digits = hashlib.sha256(tag.encode()).hexdigest()
    new = b'lib' + digits[: len(old) - 6].encode() + b'.so'
    path = os.path.join(folder, new.decode())
    changed = content.replace(b'\0' + old + b'\0', b'\0' + new + b'\0')
    if not os.path.exists(path) or open(path, 'rb').read() != changed:
        os.makedirs(folder, exist_ok=True)
        with open(path + '.part', 'wb') as file:
            file.write(changed)
        os.replace(path + '.part', path)
    print(path)
    return 0


if __name__ == '__main__':
    sys.exit(main())
