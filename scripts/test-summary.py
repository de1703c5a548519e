#!/usr/bin/env python3
"""Sums the JUnit XML reports in the given directories: lists what failed and what was skipped, with the reasons, and
ends with `N passed, N failed, N skipped`. Exits 1 if a test failed, or if there is no report at all."""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def first_line(element):
    text = (element.get("message") or element.text or "").strip()
    text = text.removeprefix("org.opentest4j.TestAbortedException: ").removeprefix("Assumption failed: ")
    return text.splitlines()[0] if text else "no reason given"


def main(directories):
    passed, failed, skipped = 0, [], []
    reports = sorted(path for name in directories for path in Path(name).glob("TEST-*.xml"))
    for path in reports:
        try:
            suite = ElementTree.parse(path).getroot()
        except ElementTree.ParseError as error:
            failed.append((str(path), f"the report is cut off: {error}"))
            continue
        for case in suite.iter("testcase"):
            name = case.get("classname", "") + (f".{case.get('name')}" if case.get("name") else "")
            broken = case.find("failure") if case.find("failure") is not None else case.find("error")
            if broken is not None:
                failed.append((name, first_line(broken)))
            elif case.find("skipped") is not None:
                skipped.append((name, first_line(case.find("skipped"))))
            else:
                passed += 1

    print()
    for title, cases in (("Failed:", failed), ("Skipped:", skipped)):
        if cases:
            print(title)
            for name, reason in cases:
                print(f"  {name}: {reason}")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not reports else 0


sys.exit(main(sys.argv[1:]))
