#!/usr/bin/env python3
"""Measures how soon `git mend explore` and Fray expose the bugs of a folder like fixtures/concurrency.

    compare_fray.py prepare --jdk JDK --jars JARS --output FRAY
    compare_fray.py run CASES --git-mend PROGRAM --jars JARS --fray FRAY --classpath JUNIT --results FILE
    compare_fray.py table FILE [--failures]

`prepare` builds what Fray needs: its instrumented JDK, its native agent and a Java agent. JDK is a JDK of the version
that Fray supports. JARS is a folder with the jars of Fray and their dependencies, for example from
`mvn dependency:copy-dependencies` for fray-core and fray-jvmti-linux-x8664 (group org.pastalab.fray) and
fray-instrumentation-agent and fray-instrumentation-jdk (group org.pastalab.fray.instrumentation).

`run` runs every tool on every case with several seeds, and appends one JSON object for each run to FILE. Runs that are
already in FILE are skipped. What each tool prepares once for a project is not measured: Fray's JDK, git-mend's compiled
runtime, and the class files for Fray. Fray takes no seed: each of its runs is random. It is run with several
schedulers, and both with its defaults, where only accesses to volatile fields, locks and atomics are scheduling points,
and with `--memory`, where accesses to all fields and arrays are. Its published Java agent leaves out accesses to plain
fields; the one that `prepare` builds passes the option on, as Fray's own agent mode does.

`table` prints a table of medians, and with `--failures` also what the tools reported.
"""

import argparse
import json
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

# Modules that cannot be part of an image that a JDK without packaged modules links.
UNLINKABLE_MODULES = ("jdk.jlink", "jdk.jpackage")

# Seconds after the budget at which a run is killed.
GRACE_SECONDS = 30

AGENT_NAME = "MemoryAgent"
AGENT_SOURCE = """
import java.lang.instrument.Instrumentation;
import java.util.List;
import org.pastalab.fray.instrumentation.base.ApplicationCodeTransformer;

/** Fray's Java agent, with scheduling points at accesses to all fields. */
public class MemoryAgent {
    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ApplicationCodeTransformer(true, List.of()));
    }
}
"""

# Name in the table, scheduler, and further arguments of Fray.
FRAY_SETTINGS = {
    "pos": ("pos", []),
    "pos, memory": ("pos", ["--memory"]),
    "random, memory": ("random", ["--memory"]),
    "pct, memory": ("pct", ["--memory"]),
}


def list_jars(folder, *prefixes):
    """Returns the absolute paths of jars whose names start with one of the prefixes."""
    jars = sorted(path.resolve() for path in Path(folder).glob("*.jar"))
    return [str(jar) for jar in jars if jar.name.startswith(prefixes)]


def find_jar(folder, prefix):
    jars = list_jars(folder, prefix)
    if len(jars) != 1:
        sys.exit(f"expected one {prefix}*.jar in {folder}, found {len(jars)}")
    return jars[0]


def prepare(arguments):
    """Builds Fray's JDK, native agent and Java agent."""
    output = Path(arguments.output)
    output.mkdir(parents=True)
    link_jdk(Path(arguments.jdk), arguments.jars, output / "jdk")
    with zipfile.ZipFile(find_jar(arguments.jars, "fray-jvmti-")) as archive:
        archive.extract("libjvmti.so", output)
    build_memory_agent(Path(arguments.jdk), arguments.jars, output)


def link_jdk(jdk, jars, output):
    """Links the instrumented JDK with Fray's jlink plugin, as Fray's build plugins do."""
    path = ":".join(
        list_jars(jars, "fray-instrumentation-jdk", "fray-instrumentation-base", "fray-runtime", "asm", "kotlin-"),
    )
    listing = subprocess.run([jdk / "bin/java", "--list-modules"], check=True, capture_output=True, text=True)
    modules = [line.split("@")[0] for line in listing.stdout.splitlines()]
    command = [
        jdk / "bin/jlink",
        f"-J-javaagent:{find_jar(jars, 'fray-instrumentation-jdk')}",
        f"-J--module-path={path}",
        "-J--add-modules=org.pastalab.fray.instrumentation.jdk",
        f"-J--class-path={path}",
        f"--output={output}",
        "--add-modules=" + ",".join(module for module in modules if module not in UNLINKABLE_MODULES),
        "--fray-instrumentation",
    ]
    subprocess.run(command, check=True)


def build_memory_agent(jdk, jars, output):
    """Compiles the Java agent that instruments accesses to all fields."""
    library = find_jar(jars, "fray-instrumentation-agent")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"{AGENT_NAME}.java"
        source.write_text(AGENT_SOURCE)
        manifest = Path(folder) / "manifest"
        manifest.write_text(f"Premain-Class: {AGENT_NAME}\nClass-Path: {os.path.relpath(library, output.resolve())}\n")
        subprocess.run([jdk / "bin/javac", "-cp", library, "-d", folder, source], check=True)
        jar = [jdk / "bin/jar", "cfm", output / "memory-agent.jar", manifest, "-C", folder, f"{AGENT_NAME}.class"]
        subprocess.run(jar, check=True)


def find_test(case):
    """Returns class and method of the only test of a case."""
    (source,) = case.glob("src/test/java/**/*Test.java")
    text = source.read_text()
    package = re.search(r"^package ([\w.]+);", text, re.MULTILINE).group(1)
    (method,) = re.findall(r"@Test\s+public void (\w+)", text)
    return f"{package}.{source.stem}", method


def run_timed(command, limit):
    """Runs a command; returns its output, or none after a time limit, with wall and CPU seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            process.wait(limit)
            is_complete = True
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            is_complete = False
        output.seek(0)
        text = output.read().decode(errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cost = {"seconds": round(time.monotonic() - start, 2), "cpu": round(cpu, 2)}
    return (text if is_complete else None), cost


def run_git_mend(case, seed, arguments, folder):
    """Runs `git mend explore` on a case."""
    test_class, _ = find_test(case)
    command = [arguments.git_mend, "explore", "--format", "json", "--quiet", "--bad", ".", "-C", case]
    command += ["--test", test_class, "--classpath", arguments.classpath, "--output", folder / "run"]
    command += ["--schedules", str(arguments.schedules), "--seed", str(seed), "--timeout", f"{arguments.seconds}s"]
    text, cost = run_timed(command, arguments.seconds + GRACE_SECONDS)
    if not text:
        return {"failure": None, "note": "killed" if text is None else "no result", **cost}
    schedules = json.loads(text)["schedules"]
    failures = [failure for failure in schedules["failures"] if failure["first"] > 0]
    first = min(failures, key=lambda failure: failure["first"], default=None)
    reported = [kind for kind in ("races", "lock_cycles") if schedules[kind]]
    return {
        "run": schedules["run"],
        "first": first and first["first"],
        "failure": first and first["message"].splitlines()[0],
        "reported": reported,
        **cost,
    }


def run_fray(case, setting, arguments, folder):
    """Runs Fray on a case that was compiled to the folder `classes`."""
    scheduler, options = FRAY_SETTINGS[setting]
    test_class, method = find_test(case)
    fray = Path(arguments.fray).resolve()
    agent = fray / "memory-agent.jar" if options else find_jar(arguments.jars, "fray-instrumentation-agent")
    core = list_jars(arguments.jars, "fray-core", "fray-rmi", "kotlin", "clikt", "mordant", "colormath", "jna")
    command = [fray / "jdk/bin/java", "-ea", "-cp", ":".join(core), f"-agentpath:{fray / 'libjvmti.so'}"]
    command += [f"-javaagent:{agent}", "org.pastalab.fray.core.MainKt", "--run-config", "cli"]
    command += ["--clazz", test_class, "--method", method]
    command += ["--classpath", f"{folder / 'classes'}:{arguments.classpath}", "--output", folder / "report"]
    command += ["--iter", str(arguments.schedules), "--timeout", str(arguments.seconds), "--scheduler", scheduler]
    text, cost = run_timed(command + options, arguments.seconds + GRACE_SECONDS)
    log_file = folder / "report/fray.log"
    log = log_file.read_text() if log_file.exists() else ""
    found = re.search(r"Error found at iter: (\d+)", log)
    failure = re.search(r"Error: (.*)", log)
    finished = re.search(r"Total iter: (\d+)", log)
    result = {
        "run": int(finished.group(1)) if finished else None,
        "first": int(found.group(1)) + 1 if found else None,
        "failure": failure.group(1) if failure else None,
        **cost,
    }
    return result if text is not None else {**result, "note": "killed"}


def compile_case(case, arguments, output):
    command = ["javac", "-nowarn", "-g", "-d", output, "-cp", arguments.classpath, *case.glob("src/**/*.java")]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def run(arguments):
    """Runs all tools on all cases, one run after the other."""
    results = Path(arguments.results)
    lines = results.read_text().splitlines() if results.exists() else []
    done = {(row["case"], row["tool"], row["seed"]) for row in map(json.loads, lines)}
    cases = [case for case in sorted(Path(arguments.cases).iterdir()) if case.is_dir()]
    tools = arguments.tools.split(";") if arguments.tools else ["git mend", *FRAY_SETTINGS]
    if arguments.only:
        cases = [case for case in cases if case.name in arguments.only.split(",")]
    with tempfile.TemporaryDirectory() as name:
        repository = Path(name)
        subprocess.run(["git", "init", "--quiet", repository], check=True)
        copies = [Path(shutil.copytree(case, repository / case.name)) for case in cases]
        if "git mend" in tools:
            run_once(copies[0], "git mend", 0, arguments)
        for seed in range(arguments.seeds):
            for case in copies:
                for tool in tools:
                    if (case.name, tool, seed) not in done:
                        result = run_once(case, tool, seed, arguments)
                        row = {"case": case.name, "tool": tool, "seed": seed, **result}
                        with results.open("a") as file:
                            file.write(json.dumps(row) + "\n")


def run_once(case, tool, seed, arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if tool == "git mend":
            return run_git_mend(case, seed, arguments, folder)
        compile_case(case, arguments, folder / "classes")
        return run_fray(case, tool, arguments, folder)


def format_runs(rows):
    """Returns the exposed runs, the median of the first failing schedule (`-` if most runs have none), and seconds."""
    if not rows:
        return ["", "", ""]
    firsts = [row.get("first") or float("inf") for row in rows]
    exposed = sum(first != float("inf") for first in firsts)
    median = statistics.median_low(firsts)
    mark = "" if exposed else " race" if any("races" in row.get("reported", []) for row in rows) else ""
    first = "-" if median == float("inf") else str(median)
    seconds = statistics.median(row["seconds"] for row in rows)
    return [f"{exposed}/{len(rows)}{mark}", first, f"{seconds:.1f}"]


def print_table(arguments):
    """Prints a table of the results."""
    rows = [json.loads(line) for line in Path(arguments.results).read_text().splitlines()]
    tools = list(dict.fromkeys(row["tool"] for row in rows))
    cases = sorted({row["case"] for row in rows})
    print("| program |" + "".join(f" {tool} | first | s |" for tool in tools))
    print("|---|" + "--:|--:|--:|" * len(tools))
    for case in cases:
        cells = [case]
        for tool in tools:
            cells += format_runs([row for row in rows if (row["case"], row["tool"]) == (case, tool)])
        print("| " + " | ".join(cells) + " |")
    for tool in tools:
        print_summary(tool, [row for row in rows if row["tool"] == tool], len(cases))
    if arguments.failures:
        for row in sorted(rows, key=lambda row: row["case"]):
            print(row["case"], row["tool"], row.get("first"), row.get("failure"), row.get("note", ""), sep="; ")


def print_summary(tool, rows, case_count):
    """Prints how many programs a tool exposes, and its medians over all runs."""
    exposed = {row["case"] for row in rows if row.get("first")}
    share = sum(bool(row.get("first")) for row in rows) / len(rows)
    firsts = [row.get("first") or float("inf") for row in rows]
    seconds, cpu = (statistics.median(row[key] for row in rows) for key in ("seconds", "cpu"))
    print(
        f"\n{tool}: {len(exposed)} of {case_count} programs exposed, in {share:.0%} of {len(rows)} runs;"
        f" median of the first failing schedule {statistics.median_low(firsts)};"
        f" median {seconds:.1f} s, {cpu:.1f} s of CPU time"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("prepare", help="build Fray's JDK and agents")
    command.add_argument("--jdk", required=True, help="a JDK of the version that Fray supports")
    command.add_argument("--jars", required=True, help="folder with Fray's jars")
    command.add_argument("--output", required=True, help="new folder for the JDK and the agents")
    command.set_defaults(run=prepare)
    command = commands.add_parser("run", help="run the tools on the cases")
    command.add_argument("cases", help="folder with the layout of fixtures/concurrency")
    command.add_argument("--git-mend", required=True, help="the program git-mend")
    command.add_argument("--jars", required=True, help="folder with Fray's jars")
    command.add_argument("--fray", required=True, help="output of prepare")
    command.add_argument("--classpath", required=True, help="jars of JUnit 4 and Hamcrest, separated by colons")
    command.add_argument("--results", required=True, help="file to which the results are appended")
    command.add_argument("--schedules", type=int, default=1000, help="maximum of schedules for a run [1000]")
    command.add_argument("--seconds", type=int, default=60, help="time limit of a run [60]")
    command.add_argument("--seeds", type=int, default=5, help="number of runs of each tool on a case [5]")
    command.add_argument("--tools", help="tools, separated by semicolons, such as 'git mend;pos, memory' [all]")
    command.add_argument("--only", help="names of cases, separated by commas")
    command.set_defaults(run=run)
    command = commands.add_parser("table", help="print a table of the results")
    command.add_argument("results")
    command.add_argument("--failures", action="store_true", help="print the failure of each run, too")
    command.set_defaults(run=print_table)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
