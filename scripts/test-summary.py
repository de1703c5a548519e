#!/usr/bin/env python3
"""Summarizes the JUnit XML reports in the given directories: prints the duration of each phase and of the slowest
classes, lists failed and skipped tests with the reasons, and ends with `N passed, N failed, N skipped`. Exits 1 if a
test failed, or if there is no report. Tests that ran a second time have another report below the directory `again`:
those that passed then are listed with the reason of the first failure.

With --failed, prints only the classes of which a test failed.
"""

import argparse
import copy
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


class Case:
    """A test and its result."""

    def __init__(self, element):
        self.classname = element.get("classname", "")
        self.name = self.classname + (f".{element.get('name')}" if element.get("name") else "")
        self.seconds = float(element.get("time", "0").replace(",", ""))
        broken = element.find("failure") if element.find("failure") is not None else element.find("error")
        self.failure = None if broken is None else reason(broken, LINES_OF_A_FAILURE)
        self.skipped = None if element.find("skipped") is None else reason(element.find("skipped"))

    def passed(self):
        other = copy.copy(self)
        other.failure = None
        return other


def cases(paths):
    """Returns the tests in the reports. A report that cannot be read is a failed test."""
    for path in paths:
        try:
            suite = ElementTree.parse(path).getroot()
        except (ElementTree.ParseError, OSError) as error:
            suite = ElementTree.Element("testsuite")
            case = ElementTree.SubElement(suite, "testcase", classname=str(path))
            ElementTree.SubElement(case, "error", message=f"the report cannot be read: {error}")
        yield from map(Case, suite.iter("testcase"))


def reports(place):
    """Returns the reports in a directory, or the report that is given."""
    return sorted(place.glob("TEST-*.xml")) if place.is_dir() else [place] if place.exists() else []


def results(directory):
    """Returns the tests of a directory, and the failures of the first run of those that passed in the second."""
    tests = list(cases(reports(directory)))
    again = list(cases(sorted(directory.glob("again/**/TEST-*.xml"))))
    failed = {case.name: case for case in tests if case.failure is not None}
    ran = {case.name for case in tests}
    # A group of the lab that did not get to the end has no report of its tests, but one failure with its name.
    for name, case in failed.items():
        group = name.removeprefix("scripts/lab.")
        if (directory / "again" / group / f"TEST-lab-{group}.xml").exists() and name not in {case.name for case in again}:
            again.append(case.passed())
    second_try = []
    for case in again:
        before = failed.get(case.name)
        if before is None:
            tests += [] if case.name in ran else [case]
        elif case.failure is None:
            second_try.append((case.name, before.failure))
            before.failure = None
        else:
            before.failure = f"twice; first: {before.failure}\n      then: {case.failure}"
    return tests, second_try


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phases", type=Path, help="a file with lines of seconds and the name of a phase")
    parser.add_argument("--maven", type=Path, help="the output of Maven")
    parser.add_argument("--coverage", type=Path, help="JaCoCo's report as CSV; may be missing")
    parser.add_argument("--failed", action="store_true", help="print only the classes of which a test failed")
    parser.add_argument("directories", nargs="*", type=Path)
    arguments = parser.parse_args()

    if arguments.failed:
        failed = (case.classname for place in arguments.directories for case in cases(reports(place)) if case.failure)
        print("\n".join(sorted(set(failed))), end="")
        return 0

    passed, failed, skipped, second_try = 0, [], [], []
    classes, sums = Counter(), Counter()
    for directory in arguments.directories:
        tests, passed_later = results(directory)
        second_try += passed_later
        for case in tests:
            classes[case.classname.split("$")[0]] += case.seconds
            sums[str(directory)] += case.seconds
            if case.failure is not None:
                failed.append((case.name, case.failure))
            elif case.skipped is not None:
                skipped.append((case.name, case.skipped))
            else:
                passed += 1

    print_phases(arguments.phases, arguments.maven, sums)
    print(f"The {SLOWEST} slowest classes, in seconds:")
    for name, seconds in classes.most_common(SLOWEST):
        print(f"{seconds:6.1f} {name}")
    if arguments.coverage and arguments.coverage.exists():
        print_coverage(arguments.coverage)
    for title, tests in (
        ("Passed at the second try, with the reason of the first failure:", second_try),
        ("Failed:", failed),
        ("Skipped:", skipped),
    ):
        if tests:
            print(title)
            for name, why in tests:
                print(f"  {name}: {why}")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
