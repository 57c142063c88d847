#!/usr/bin/env python3
"""Prints the places in source files that a linked program may panic at: file, line, column.

Every call that may panic hands over a `core::panic::Location`: pointer to and length of a file's name, line, column. A
non-relocatable 64-bit little-endian ELF file has them ready in its data.
"""

import struct
import sys

with open(sys.argv[1], "rb") as program:
    image = program.read()

segments = []
(table,) = struct.unpack_from("<Q", image, 32)
size, count = struct.unpack_from("<HH", image, 54)
for index in range(count):
    kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", image, table + index * size)
    if kind == 1:
        segments.append((address, offset, length))


def text(address, length):
    """The bytes at an address, if they are in the file."""
    for start, offset, size in segments:
        if start <= address and address + length <= start + size:
            return image[offset + address - start :][:length]
    return b""


places = set()
for at in range(0, len(image) - 24, 8):
    pointer, length, line, column = struct.unpack_from("<QQII", image, at)
    if 3 < length < 500 and 0 < line < 100_000 and 0 < column < 1000:
        name = text(pointer, length)
        if name.endswith(b".rs") and name.isascii():
            places.add((name.decode(), line, column))

for name, line, column in sorted(places):
    print(f"{name}:{line}:{column}")
