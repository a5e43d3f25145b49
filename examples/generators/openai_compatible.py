#!/usr/bin/env python3
"""Generator for `git mend fix --generator` that asks a language model behind an OpenAI-compatible endpoint.

It contacts only the address that you give, and sends it the failing tests, values and sources of the request. Nothing
has a default: set GENERATOR_URL (such as https://HOST/v1), GENERATOR_MODEL and GENERATOR_KEY, or give --url and --model.

Usage: git mend fix --test 'shop.*Test' --trust-generator --generator 'python3 openai_compatible.py'
"""
import argparse
import json
import os
import re
import sys
import urllib.error
import urllib.request

INSTRUCTIONS = (
    "You repair Java programs. You get a JSON description of failing tests: messages, stack traces, suspicious "
    "statements with values, contracts and sources. Answer with at most three alternative patches that change no test. "
    "Write each as a unified diff for `git apply` in a block that begins with ```diff, after one sentence that gives "
    "the reason. Copy context lines exactly. Later messages tell you what the patches did; then offer better ones."
)
BLOCK = re.compile(r"^```(?:diff|patch)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default=os.environ.get("GENERATOR_URL"), help="address that ends in /v1")
    parser.add_argument("--model", default=os.environ.get("GENERATOR_MODEL"))
    parser.add_argument("--rounds", type=int, default=3, help="maximum number of requests")
    parser.add_argument("--timeout", type=float, default=110, help="seconds for one request")
    arguments = parser.parse_args()
    for name in ("url", "model"):
        if not getattr(arguments, name):
            parser.error(f"set --{name} or GENERATOR_{name.upper()}")
    return arguments


def ask(arguments, messages):
    """Returns the text of the model's answer."""
    headers = {"Content-Type": "application/json"}
    if os.environ.get("GENERATOR_KEY"):
        headers["Authorization"] = f"Bearer {os.environ['GENERATOR_KEY']}"
    body = json.dumps({"model": arguments.model, "messages": messages}).encode()
    address = arguments.url.rstrip("/") + "/chat/completions"
    request = urllib.request.Request(address, data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=arguments.timeout) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def find_patches(text):
    """Returns the diffs of an answer, each with the line before it as the reason."""
    patches, end = [], 0
    for block in BLOCK.finditer(text):
        lines = [line.strip() for line in text[end:block.start()].splitlines() if line.strip()]
        patches.append({"patch": block.group(1), "reason": lines[-1] if lines else None})
        end = block.end()
    return patches


def main():
    arguments = parse_arguments()
    messages = [{"role": "system", "content": INSTRUCTIONS}]
    for round_number, line in enumerate(sys.stdin, start=1):
        message = json.loads(line)
        verdicts = message.get("verdicts", [])
        patches = []
        if round_number <= arguments.rounds and not any(v["verdict"] == "plausible" for v in verdicts):
            messages.append({"role": "user", "content": json.dumps(message)})
            try:
                text = ask(arguments, messages)
            except (urllib.error.URLError, TimeoutError, KeyError, ValueError) as error:
                sys.exit(f"no answer from {arguments.url}: {error}")
            messages.append({"role": "assistant", "content": text})
            patches = find_patches(text)
        print(json.dumps({"candidates": patches}), flush=True)
        if not patches:
            return


if __name__ == "__main__":
    main()
