#!/usr/bin/env python3
"""Whole programs side by side: chunkmill, borg, restic and casync create an archive of one file, restore it and check it.

    benches/programs.py FILE [--rounds N] [--dir DIR]

Prints a Markdown table: medians over interleaved rounds of wall seconds, CPU-seconds for each GiB of the file, peak RSS, and
what was stored. Every round begins with fresh repositories in DIR, which should be a memory file system, so that no disk is
measured. What was restored is compared with FILE, and a program that fails ends the run. Programs that are not installed are
left out, and named. Needs `cargo build --release` first.
"""

import argparse
import filecmp
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CHUNKMILL = os.path.join(os.path.dirname(__file__), "..", "target", "release", "chunkmill")
BORG = "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes BORG_PASSPHRASE=x BORG_BASE_DIR=R/home borg"
RESTIC = "RESTIC_PASSWORD=x restic -q --no-cache -r R/repo"
SIZES = "524288:2097152:8388608"


def chunkmill(threads):
    return {
        "name": f"chunkmill, {threads} thread{'s' if threads > 1 else ''}",
        "create": f"CHUNKMILL pack FILE -o R/x.cmill --key-file R/key --threads {threads} --quiet",
        "restore": f"CHUNKMILL unpack R/x.cmill -o - --key-file R/key --threads {threads} --quiet > OUT",
        "check": f"CHUNKMILL verify R/x.cmill --key-file R/key --threads {threads} --quiet",
        "begin": "CHUNKMILL keygen -o R/key",
        "stored": "x.cmill",
        "needs": None,
    }


PROGRAMS = [
    chunkmill(1),
    chunkmill(2),
    {
        "name": "borg",
        "begin": f"{BORG} init -e authenticated-blake2 R/repo",
        "create": f"{BORG} create --compression lz4 R/repo::a - < FILE",
        "restore": f"{BORG} extract --stdout R/repo::a > OUT",
        "check": f"{BORG} check --verify-data R/repo",
        "stored": "repo",
        "needs": "borg",
    },
    {
        "name": "restic",
        "begin": f"{RESTIC} init --repository-version 2",
        "create": f"{RESTIC} backup --stdin < FILE",
        "restore": f"{RESTIC} dump latest stdin > OUT",
        "check": f"{RESTIC} check --read-data",
        "stored": "repo",
        "needs": "restic",
    },
    {
        "name": "casync",
        "begin": "mkdir R/repo",
        "create": f"casync make --chunk-size={SIZES} --store=R/repo/s.castr R/repo/x.caibx FILE",
        "restore": "casync extract --store=R/repo/s.castr R/repo/x.caibx OUT",
        "check": None,
        "stored": "repo",
        "needs": "casync",
    },
]


def run(command, places):
    """Wall and CPU seconds, and peak RSS in KiB, of a command and all it starts."""
    for name, value in places.items():
        command = command.replace(name, value)
    started = time.monotonic()
    child = subprocess.Popen(["sh", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - started
    if status != 0:
        sys.exit(f"{command}\nended with {status}: {said.decode(errors='replace')}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def bytes_below(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def main():
    parser = argparse.ArgumentParser(description="Whole backup programs side by side")
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dir", default="/dev/shm")
    args = parser.parse_args()
    gib = os.path.getsize(args.file) / 2**30
    programs = [program for program in PROGRAMS if program["needs"] is None or shutil.which(program["needs"])]
    for program in PROGRAMS:
        if program not in programs:
            print(f"{program['name']}: not installed, left out", file=sys.stderr)
    figures = {}
    for round_number in range(args.rounds):
        for program in programs:
            with tempfile.TemporaryDirectory(dir=args.dir) as folder:
                out = os.path.join(folder, "out")
                places = {"CHUNKMILL": CHUNKMILL, "FILE": args.file, "OUT": out, "R/": folder + "/"}
                run(program["begin"], places)
                for step in ["create", "restore", "check"]:
                    if program[step] is not None:
                        figures.setdefault((program["name"], step), []).append(run(program[step], places))
                    if step == "restore":
                        if not filecmp.cmp(out, args.file, shallow=False):
                            sys.exit(f"{program['name']}: what was restored is not what was stored")
                        os.remove(out)
                figures.setdefault((program["name"], "stored"), []).append(
                    bytes_below(os.path.join(folder, program["stored"])))
            print(f"round {round_number + 1}: {program['name']}", file=sys.stderr)
    print("| program | step | wall s | CPU-s/GiB | peak RSS MiB | stored MB |")
    print("|---|---|---:|---:|---:|---:|")
    for step in ["create", "restore", "check"]:
        for program in programs:
            runs = figures.get((program["name"], step))
            if runs is None:
                continue
            wall, cpu, rss = (statistics.median(column) for column in zip(*runs))
            stored = statistics.median(figures[program["name"], "stored"]) / 1e6 if step == "create" else None
            shown = "" if stored is None else f"{stored:.1f}"
            print(f"| {program['name']} | {step} | {wall:.2f} | {cpu / gib:.2f} | {rss / 1024:.0f} | {shown} |")
    print()
    for program in programs:
        for step in ["begin", "create", "restore", "check"]:
            if program[step] is not None:
                print(f"    {program[step]}")


main()
