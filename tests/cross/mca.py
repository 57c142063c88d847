#!/usr/bin/env python3
"""Cycles a byte of the scan kernels' inner loops, and of the crate fastcdc's, as llvm-mca estimates them for CPUs that are not
at hand. Needs setup-cross.sh to have run, and llvm-mca (Debian: llvm). Prints a Markdown table.

An estimate: caches always hit, branches are always foreseen. The loops are taken from the compiler's assembly: of the named
function, the innermost loop with the most loads of single bytes.
"""
import glob
import os
import re
import subprocess
import sys

CPUS = {
    "aarch64-unknown-linux-gnu": ["cortex-a55", "cortex-a72", "neoverse-n1", "apple-m1"],
    # Its model of cortex-a15 is that of cortex-a9.
    "armv7-unknown-linux-gnueabihf": ["cortex-a9"],
}
# Crate, and part of the symbol of the function that has the loop.
LOOPS = {
    "fastcdc": ("fastcdc", "v20208cut_gear"),
    "portable": ("chunkmill_core", "portable11first_match"),
}
# The kernel that each target uses.
DEFAULT = {
    "aarch64-unknown-linux-gnu": ("chunkmill_core", "cutter6Cutter4scan"),
    "armv7-unknown-linux-gnueabihf": ("chunkmill_core", "half5Quiet3new"),
}
BYTE_LOAD = re.compile(r"^\s*ldrb\b")
LABEL = re.compile(r"^(\.L\w+):")
BRANCH = re.compile(r"^\s*(?:b|b\.\w+|b[a-z]{2}|cb\w+|tb\w+)\s+(?:.*,\s*)?(\.L\w+)\s*$")


def assembly(target):
    folder = os.environ.get("CARGO_TARGET_DIR", "target/mca")
    environment = dict(os.environ, CARGO_TARGET_DIR=folder, RUSTFLAGS="--emit=asm")
    command = ["cargo", "+cross", "build", "--quiet", "--release", "--locked", "--target", target]
    command += ["-p", "chunkmill-benches", "--bin", "cut_once"]
    subprocess.run(command, env=environment, check=True)
    texts = {}
    for crate in ("fastcdc", "chunkmill_core"):
        files = glob.glob(f"{folder}/{target}/release/deps/{crate}-*.s")
        if not files:
            sys.exit(f"no assembly of {crate} for {target}")
        texts[crate] = open(max(files, key=os.path.getmtime)).read()
    return texts


def functions(text, part):
    for name, body in re.findall(r"^(_[A-Za-z0-9_.$]+):\n(.*?)^\.Lfunc_end", text, re.M | re.S):
        if part in name:
            yield body.split("\n")


def hot_loop(lines):
    """The innermost loop with the most byte loads, as instructions, and how many those loads are."""
    places = {match[1]: at for at, line in enumerate(lines) if (match := LABEL.match(line))}
    loops = []
    for at, line in enumerate(lines):
        match = BRANCH.match(line)
        if match and places.get(match[1], at) < at:
            loops.append((places[match[1]], at))
    best = (0, [])
    for start, end in loops:
        inner = any(start <= s and e <= end and (s, e) != (start, end) for s, e in loops)
        body = [line for line in lines[start : end + 1] if line.startswith("\t") and not line.startswith("\t.")]
        loads = sum(1 for line in body if BYTE_LOAD.match(line))
        if not inner and loads > best[0]:
            best = (loads, body)
    return best


def cycles(body, target, cpu):
    rounds = 500
    triple = target.replace("unknown-", "")
    source = "\n".join(re.sub(r"\s(@|//).*", "", line) for line in body)
    result = subprocess.run(
        ["llvm-mca", f"-mtriple={triple}", f"-mcpu={cpu}", f"-iterations={rounds}"],
        input=source, capture_output=True, text=True,
    )
    # A line that it does not understand is left out, and the exit code is 0.
    if "error:" in result.stderr:
        sys.exit(f"llvm-mca for {cpu}: {result.stderr[:500]}")
    match = re.search(r"Total Cycles:\s+(\d+)", result.stdout)
    if not match:
        sys.exit(f"llvm-mca for {cpu}: {result.stderr[:500]}")
    return int(match[1]) / rounds


print("| CPU | fastcdc | portable | default | fastcdc / default |\n|---|---:|---:|---:|---:|")
for target, cpus in CPUS.items():
    texts = assembly(target)
    loops = {}
    for name, (crate, part) in {**LOOPS, "default": DEFAULT[target]}.items():
        loads, body = max((hot_loop(lines) for lines in functions(texts[crate], part)), default=(0, []))
        if loads == 0:
            sys.exit(f"no loop of {name} found for {target}")
        loops[name] = (loads, body)
        if "-v" in sys.argv:
            print(f"{target} {name}: {loads} bytes in {len(body)} instructions", file=sys.stderr)
            print("\n".join(body), file=sys.stderr)
    for cpu in cpus:
        figures = [cycles(body, target, cpu) / loads for loads, body in loops.values()]
        figures.append(figures[0] / figures[2])
        print(f"| {cpu} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |")
