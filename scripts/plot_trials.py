#!/usr/bin/env python3
"""Draws the trials of a session as an SVG: every configuration by rank, with the roofline, the default and the winner.

Usage: warptune show trials --session N --json > trials.json; warptune show best --json > best.json
       plot_trials.py trials.json best.json > picture.svg
Needs nothing but Python's standard library.
"""
import json
import math
import sys

WIDTH, HEIGHT = 860, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 58, 46
STYLE = """
text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.faint{fill:#59636e}
.grid{stroke:#d1d9e0;stroke-width:1}.dot{fill:#0969da;fill-opacity:.55}.roof{stroke:#cf222e;stroke-width:2}
.best{fill:#1a7f37}.default{fill:#bc4c00}.bg{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#f0f6fc}.faint{fill:#9198a1}.grid{stroke:#3d444d}.dot{fill:#4493f8}
.roof{stroke:#f85149}.best{fill:#3fb950}.default{fill:#f0883e}.bg{fill:#0d1117}}
"""


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def ticks(low, high):
    """1-2-5 steps between low and high, for a logarithmic axis."""
    power = 10.0 ** math.floor(math.log10(low))
    found = []
    while power <= high:
        found += [power * m for m in (1, 1.5, 2, 3, 5, 7) if low <= power * m <= high]
        power *= 10
    return found


def draw(session, trials, best):
    timed = sorted((t["timing"]["median_us"], t["config"]) for t in trials if t["status"] == "ok" and t.get("timing"))
    failed = len(trials) - len(timed)
    floor = best["median_us"] * best["roofline_share"]
    low, high = floor * 0.93, timed[-1][0] * 1.05

    def x(rank):
        return LEFT + (WIDTH - LEFT - RIGHT) * rank / max(1, len(timed) - 1)

    def y(time):
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - math.log(time / low) / math.log(high / low))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
           f'aria-label="Times of all configurations of {escape(session["kernel"])}">',
           f"<style>{STYLE}</style>", f'<rect class="bg" width="{WIDTH}" height="{HEIGHT}"/>',
           f'<text class="title" x="{LEFT}" y="22">{escape(session["kernel"])} {escape(session["problem"])} on '
           f'{escape(session["device"])}</text>',
           f'<text class="faint" x="{LEFT}" y="42">{len(trials)} configurations compiled, verified and timed '
           f'({failed} failed), L2 cold; by rank</text>']
    for tick in ticks(low, high):
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
                   f'<text class="faint" x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g} us</text>')
    out += [f'<circle class="dot" cx="{x(i):.1f}" cy="{y(time):.1f}" r="2.6"/>' for i, (time, _) in enumerate(timed)]
    out.append(f'<line class="roof" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(floor):.1f}" y2="{y(floor):.1f}"/>'
               f'<text x="{WIDTH - RIGHT}" y="{y(floor) + 16:.1f}" text-anchor="end">measured {escape(best["bound"])} roof, '
               f'{floor:.1f} us</text>')
    for kind, config in (("default", best["default_config"]), ("best", best["config"])):
        for i, (time, text) in enumerate(timed):
            if text != config:
                continue
            label = f'{kind}: {time:.1f} us' + (f', {100 * floor / time:.0f} % of the roof' if kind == "best" else "")
            side, anchor = (8, "start") if i < len(timed) / 2 else (-8, "end")
            out.append(f'<circle class="{kind}" cx="{x(i):.1f}" cy="{y(time):.1f}" r="6"/>'
                       f'<text x="{x(i) + side:.1f}" y="{y(time) - 30:.1f}" text-anchor="{anchor}">{label}</text>')
    out.append(f'<text class="faint" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">'
               f'configurations, fastest first</text></svg>')
    return "\n".join(out)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        shown = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        records = json.load(file)["best"]
    session = shown["session"]
    best = next(b for b in records if (b["kernel"], b["problem"]) == (session["kernel"], session["problem"]))
    print(draw(session, shown["trials"], best))


if __name__ == "__main__":
    main()
