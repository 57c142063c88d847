#!/usr/bin/env python3
"""Runs the program over and over with random threads and memory, and stops or kills it at random moments.

    tests/soak.py [--minutes N] [--seed N]

Whatever happens: a run that ends gives the same chunks and the same bytes as the first; nothing that is not whole has its final
name; a run that was asked to end leaves no temporary file; memory does not grow from run to run; no run holds more descriptors
than it needs. Needs `cargo build --release` first. Exit code 0 if all held.
"""

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

CHUNKMILL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "target", "release", "chunkmill")
# The program, the file it works on, a pipe, and what the pool and signals need.
MOST_DESCRIPTORS = 24


def make_tree(folder, rng):
    words = [rng.randbytes(rng.randrange(2, 12)).hex().encode() for _ in range(500)]
    for number in range(120):
        size = rng.choice([0, 1, 4096, 70_000, 300_000, 4_000_000])
        if rng.random() < 0.5:
            data = b" ".join(rng.choices(words, k=size // 12))[:size]
        else:
            data = rng.randbytes(size)
        path = os.path.join(folder, f"{number % 7}", f"{number}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    stream = os.path.join(folder, "stream")
    with open(stream, "wb") as out:
        for _ in range(40):
            out.write(rng.randbytes(1_000_000) if rng.random() < 0.5 else b" ".join(rng.choices(words, k=80_000)))


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def chunks(out):
    """All lines but the summary."""
    lines = b"\n".join(line for line in out.splitlines() if b'"summary"' not in line)
    return hashlib.sha256(lines).hexdigest()


class Run:
    def __init__(self, command, rng, kill):
        self.stopped_by = None
        self.descriptors = 0
        out = tempfile.TemporaryFile()
        child = subprocess.Popen([CHUNKMILL, *command], stdout=out, stderr=subprocess.DEVNULL)
        if kill:
            time.sleep(rng.random() ** 2 * 0.5)
            try:
                self.descriptors = len(os.listdir(f"/proc/{child.pid}/fd"))
            except OSError:
                pass
            if rng.random() < 0.3:
                os.kill(child.pid, signal.SIGSTOP)
                time.sleep(rng.random() * 0.1)
                os.kill(child.pid, signal.SIGCONT)
            if rng.random() < 0.8:
                self.stopped_by = rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
                os.kill(child.pid, self.stopped_by)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        self.rss = usage.ru_maxrss // 1024
        self.code = os.waitstatus_to_exitcode(status)
        if self.code == 0:
            self.stopped_by = None
        out.seek(0)
        self.out = out.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    failures = []
    counts = {}
    memory_seen = {}
    os.environ.pop("CHUNKMILL_KEY", None)
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, "tree")
        os.makedirs(tree)
        # In a process of its own: peak memory of children counts what their parent held when it started them.
        if os.fork() == 0:
            make_tree(tree, rng)
            os._exit(0)
        if os.wait()[1] != 0:
            sys.exit("cannot make files")
        stream = os.path.join(tree, "stream")
        whole = os.path.join(folder, "whole.cmill")
        expected_scan = chunks(Run(["scan", tree, "--format", "jsonl", "--threads", "1", "--avg", "64KiB"], rng, False).out)
        if Run(["pack", stream, "-o", whole, "--avg", "64KiB"], rng, False).code != 0:
            sys.exit("the first pack failed")
        expected_stream = digest(stream)
        place = os.path.join(folder, "work")
        os.makedirs(place)
        end = time.monotonic() + args.minutes * 60
        began = time.monotonic()
        while time.monotonic() < end:
            work = ["--threads", str(rng.randrange(1, 5)), "--memory", rng.choice(["1MiB", "4MiB", "16MiB", "64MiB"]), "--quiet"]
            what = rng.choice(["scan", "pack", "verify", "unpack", "hash"])
            target = os.path.join(place, "out")
            command = {
                "scan": ["scan", tree, "--format", "jsonl", "--avg", "64KiB", *work],
                "hash": ["hash", stream, *work],
                "pack": ["pack", stream, "-o", target, "--avg", "64KiB", *work],
                "verify": ["verify", whole, *work],
                "unpack": ["unpack", whole, "-o", target, *work],
            }[what]
            run = Run(command, rng, rng.random() < 0.6)
            ended = "whole" if run.code == 0 else f"{signal.Signals(run.stopped_by).name}" if run.stopped_by else "FAILED"
            counts[what, ended] = counts.get((what, ended), 0) + 1
            left = os.listdir(place)
            wrong = []
            if ended == "FAILED":
                wrong.append(f"exit code {run.code}")
            if run.descriptors > MOST_DESCRIPTORS:
                wrong.append(f"{run.descriptors} descriptors")
            if run.code == 0:
                if what == "scan" and chunks(run.out) != expected_scan:
                    wrong.append("other chunks")
                late = time.monotonic() - began > args.minutes * 30
                memory_seen.setdefault((what, *work[1:4:2]), ([], []))[late].append(run.rss)
            # Also after a signal: it may have come when all was done.
            if "out" in left and what == "unpack" and digest(target) != expected_stream:
                wrong.append("other bytes under the final name")
            if "out" in left and what == "pack" and Run(["verify", target], rng, False).code != 0:
                wrong.append("a pack under the final name that is not good")
            if run.code == 0 and what in ("pack", "unpack") and "out" not in left:
                wrong.append("no file")
            if run.stopped_by != signal.SIGKILL and any(name.startswith(".chunkmill-") for name in left):
                wrong.append("left a temporary file")
            for name in left:
                os.remove(os.path.join(place, name))
            failures += [f"{' '.join(command)} ({ended}): {text}" for text in wrong]
    for (what, ended), count in sorted(counts.items()):
        print(f"{what:8} {ended:24} {count:6}")
    for setting, (early, late) in sorted(memory_seen.items()):
        if early and late and max(late) > max(early) * 1.25 + 4:
            failures.append(f"{setting}: {max(early)} MiB of memory at first, {max(late)} MiB later")
    peaks = [max(early + late) for early, late in memory_seen.values()]
    print(f"peak memory of all runs: {max(peaks, default=0)} MiB")
    print("\n".join(failures) or "all held")
    sys.exit(1 if failures else 0)


main()
