#!/usr/bin/env python3
"""Replaces what stands between <!-- NAME: begin --> and <!-- NAME: end --> of a document.   write_section.py DOCUMENT NAME FILE"""
import pathlib
import sys


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    document, name, text = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]).read_text(encoding="utf-8")
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    whole = document.read_text(encoding="utf-8")
    if whole.count(begin) != 1 or whole.count(end) != 1:
        sys.exit(f"write_section: {document} must hold '{begin.strip()}' and '{end}' once each")
    before, rest = whole.split(begin)
    document.write_text(f"{before}{begin}{text.rstrip()}\n{end}{rest.split(end)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
