#!/usr/bin/env python3
"""How long Chromium takes to show the page of a run and to filter it, and pictures of it.

usage: page_times.py PAGE.html [--pictures FOLDER] [--report PICTURE.png [--case ID]]

--pictures writes the page in light and dark, 1280 and 1920 pixels wide; --report one picture, as docs/report.png is, with a case
open if --case names one. PAGE is of `assay test --report html=PAGE`, or a graph (`assay diff --isolate --html PAGE`), of which only the
opening is measured.
"""
import argparse
import os
import pathlib
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'conformance' / 'report'))
from browser import Browser  # noqa: E402

FILTERS = ("change({text: 'nan'})", "change({text: ''})", "change({op: 'dot'})", "change({op: ''})", "change({outcome: 'wrong'})", "change({outcome: ''})")


def descendants(process):
    """The process and all that it has started, as /proc knows them."""
    parents = {}
    for entry in pathlib.Path('/proc').iterdir():
        try:
            parents[int(entry.name)] = int((entry / 'stat').read_text().rpartition(')')[2].split()[1])
        except (ValueError, OSError):
            continue  # no process, or one that has ended
    found = {process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def processor_seconds():
    """What Chromium has used so far, all its processes together: what a loaded machine does not change."""
    ticks = 0
    for process in descendants(os.getpid()) - {os.getpid()}:
        try:
            fields = pathlib.Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf('SC_CLK_TCK')


def opening(browser, url):
    """Milliseconds until everything that the page begins with is drawn."""
    browser.open('about:blank')
    start = time.monotonic()
    browser.open(url)
    browser.value('new Promise(done => requestAnimationFrame(() => setTimeout(done)))')
    return (time.monotonic() - start) * 1000


def filtering(browser, expression):
    """Milliseconds from a change of the filter to the next picture."""
    return browser.value('new Promise(done => { const start = performance.now(); ' + expression +
                         '; requestAnimationFrame(() => setTimeout(() => done(performance.now() - start))) })')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('page')
    parser.add_argument('--pictures')
    parser.add_argument('--report')
    parser.add_argument('--case')
    options = parser.parse_args()
    program = shutil.which('chromium')
    if not program:
        sys.exit('there is no chromium; tools/setup --peers installs it')
    url = pathlib.Path(options.page).resolve().as_uri()
    with Browser(program) as browser:
        browser.screen(1280, 900)
        opening(browser, url)  # the first one also loads what Chromium keeps
        before = processor_seconds()
        times = sorted(opening(browser, url) for _ in range(5))
        used = (processor_seconds() - before) / 5
        print(f'opens in {times[2]:.0f} ms (median of five; {times[0]:.0f} to {times[-1]:.0f}), with {used:.2f} s of processor time')
        if browser.value("typeof change === 'function'"):
            before = processor_seconds()
            longest = max((filtering(browser, each), each) for _ in range(3) for each in FILTERS)
            used = (processor_seconds() - before) / (3 * len(FILTERS))
            print(f'filters in at most {longest[0]:.0f} ms ({longest[1]}), with {used * 1000:.0f} ms of processor time on average')
        for width, height in ((1280, 900), (1920, 1080)) if options.pictures else ():
            os.makedirs(options.pictures, exist_ok=True)
            for dark in (False, True):
                browser.screen(width, height, dark)
                browser.open('about:blank')
                browser.open(url)
                browser.picture(os.path.join(options.pictures, f"{width}_{'dark' if dark else 'light'}.png"))
        if options.report:
            browser.screen(1600, 900)
            browser.open('about:blank')
            browser.open(url + (f'#case={options.case}' if options.case else ''))
            browser.value('new Promise(done => requestAnimationFrame(() => setTimeout(done, 300)))')
            browser.picture(options.report)
        for complaint in browser.complaints():
            print('the page complains:', complaint)


if __name__ == '__main__':
    main()
