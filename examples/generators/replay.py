#!/usr/bin/env python3
"""Generator for `git mend fix --generator` that offers the patches of a folder. It needs no network.

Usage: git mend fix --test 'shop.*Test' --generator 'python3 replay.py PATCHES'
"""
import json
import pathlib
import sys


def answer(patches):
    """Writes one answer. Without a patch, it ends the exchange."""
    print(json.dumps({"candidates": patches}), flush=True)


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit("usage: replay.py FOLDER_OF_PATCHES")
    folder = pathlib.Path(sys.argv[1])
    files = [file for file in sorted(folder.iterdir()) if file.suffix in (".patch", ".diff")]
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "verdicts":
            # One patch at a time, until one is plausible.
            if any(verdict["verdict"] == "plausible" for verdict in message["verdicts"]):
                return answer([])
        if not files:
            return answer([])
        file = files.pop(0)
        text = file.read_text(encoding="utf-8", errors="replace")
        answer([{"patch": text, "reason": f"replays {file.name}"}])


if __name__ == "__main__":
    main()
