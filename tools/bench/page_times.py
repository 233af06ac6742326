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
        times = sorted(opening(browser, url) for _ in range(5))
        print(f'opens in {times[2]:.0f} ms (median of five; {times[0]:.0f} to {times[-1]:.0f})')
        if browser.value("typeof change === 'function'"):
            longest = max((filtering(browser, each), each) for _ in range(3) for each in FILTERS)
            print(f'filters in at most {longest[0]:.0f} ms ({longest[1]})')
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
