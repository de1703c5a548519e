#!/usr/bin/env python3
"""Summarizes the JUnit XML reports in the given directories: prints the duration of each phase and of the slowest
classes, lists failed and skipped tests with the reasons, and ends with `N passed, N failed, N skipped`. Exits 1 if a
test failed, or if there is no report.
"""

import argparse
import csv
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

SLOWEST = 30
LINES_OF_A_FAILURE = 30
COVERED = ("transfer", "control", "storage", "transport")


def reason(element, most_lines=1):
    text = (element.get("message") or element.text or "").strip()
    text = text.removeprefix("org.opentest4j.TestAbortedException: ").removeprefix("Assumption failed: ")
    return "\n      ".join(text.splitlines()[:most_lines]) if text else "no reason given"


def modules(log):
    """Returns the modules in Maven's summary with their durations in seconds."""
    for line in log.read_text().splitlines():
        module = re.fullmatch(r"\[INFO\] (\S+) \.+ (?:SUCCESS|FAILURE) \[\s*([\d:.]+) (?:s|min|h)\]", line)
        if module:
            seconds = 0.0
            for part in module[2].split(":"):
                seconds = 60 * seconds + float(part)
            yield module[1], seconds


def print_phases(phases, maven, sums):
    print("\nPhases, in seconds:")
    for line in phases.read_text().splitlines() if phases else ():
        seconds, name = line.split(" ", 1)
        print(f"{int(seconds):6} {name}")
        for module, spent in modules(maven) if maven and name == "Maven" else ():
            print(f"{spent:6.0f}   {module}")
    print("Tests, total seconds of all classes:")
    for directory, spent in sums.items():
        print(f"{spent:6.0f} {directory}")


def print_coverage(report):
    covered, lines = Counter(), Counter()
    with report.open() as rows:
        for row in csv.DictReader(rows):
            package = row["PACKAGE"].removeprefix("io.fdt.core.").split(".")[0]
            covered[package] += int(row["LINE_COVERED"])
            lines[package] += int(row["LINE_MISSED"]) + int(row["LINE_COVERED"])
    print("Line coverage by the unit tests of fdt-core:")
    for package in COVERED:
        print(f"{100 * covered[package] / max(1, lines[package]):5.1f} % of {lines[package]} in io.fdt.core.{package}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phases", type=Path, help="a file with lines of seconds and the name of a phase")
    parser.add_argument("--maven", type=Path, help="the output of Maven")
    parser.add_argument("--coverage", type=Path, help="JaCoCo's report as CSV; may be missing")
    parser.add_argument("directories", nargs="*", type=Path)
    arguments = parser.parse_args()

    passed, failed, skipped = 0, [], []
    classes, sums = Counter(), Counter()
    reports = [(path, directory) for directory in arguments.directories for path in sorted(directory.glob("TEST-*.xml"))]
    for path, directory in reports:
        try:
            suite = ElementTree.parse(path).getroot()
        except ElementTree.ParseError as error:
            failed.append((str(path), f"the report is truncated: {error}"))
            continue
        for case in suite.iter("testcase"):
            name = case.get("classname", "") + (f".{case.get('name')}" if case.get("name") else "")
            seconds = float(case.get("time", "0").replace(",", ""))
            classes[case.get("classname", "").split("$")[0]] += seconds
            sums[str(directory)] += seconds
            broken = case.find("failure") if case.find("failure") is not None else case.find("error")
            if broken is not None:
                failed.append((name, reason(broken, LINES_OF_A_FAILURE)))
            elif case.find("skipped") is not None:
                skipped.append((name, reason(case.find("skipped"))))
            else:
                passed += 1

    print_phases(arguments.phases, arguments.maven, sums)
    print(f"The {SLOWEST} slowest classes, in seconds:")
    for name, seconds in classes.most_common(SLOWEST):
        print(f"{seconds:6.1f} {name}")
    if arguments.coverage and arguments.coverage.exists():
        print_coverage(arguments.coverage)
    for title, cases in (("Failed:", failed), ("Skipped:", skipped)):
        if cases:
            print(title)
            for name, why in cases:
                print(f"  {name}: {why}")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not reports else 0


sys.exit(main())
