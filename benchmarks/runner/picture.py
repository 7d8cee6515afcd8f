"""The picture: nanoseconds per dispatch of 8 hooks that change nothing, on a logarithmic scale, a panel for each class."""

import math
from html import escape

from .table import find, time

COLOURS = {"ours": "#1f6feb", "floor": "#8b949e", "reference": "#c9d1d9", "peer": "#d29922"}
WORDS = {"ours": "ours", "floor": "by hand", "reference": "static, for orientation", "peer": "peer"}
DO = {"read": "read", "pass": "may write"}
TITLES = {"sync": "Plain functions, 8 hooks", "async": "Awaited and ready at once, 8 hooks"}
WIDTH, LEFT, RIGHT, BAR, GAP = 940, 410, 90, 14, 7


def picture(rows):
    """An SVG that reads on light and on dark ground."""
    parts, y = [], 34
    for kind, title in TITLES.items():
        found = [row for row in find(rows, n=8, **{"class": kind}) if row["body"] in ("read", "pass")]
        found.sort(key=lambda row: row["ns"])
        if found:
            panel, y = panel_of(found, f"{title}: time of one dispatch", y)
            parts += panel
    legend, x = [], LEFT
    for role, word in WORDS.items():
        legend.append(f'<rect x="{x}" y="8" width="10" height="10" fill="{COLOURS[role]}"/>')
        legend.append(f'<text x="{x + 15}" y="17">{word}</text>')
        x += 30 + 7 * len(word)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" font-size="12" fill="#768390">\n'
        + "\n".join(legend + parts)
        + "\n</svg>\n"
    )


def panel_of(found, title, y):
    low = 10 ** math.floor(math.log10(min(row["ns"] for row in found)))
    high = 10 ** math.ceil(math.log10(max(row["ns"] for row in found)))
    at = lambda ns: LEFT + (WIDTH - LEFT - RIGHT) * math.log10(ns / low) / math.log10(high / low)
    top = y + 26
    bottom = top + len(found) * (BAR + GAP)
    parts = [f'<text x="{LEFT}" y="{y + 14}" font-weight="bold">{escape(title)}</text>']
    step = low
    while step <= high:
        parts.append(f'<line x1="{at(step):.1f}" y1="{top - 4}" x2="{at(step):.1f}" y2="{bottom}" stroke="#768390" stroke-opacity="0.3"/>')
        parts.append(f'<text x="{at(step):.1f}" y="{bottom + 14}" text-anchor="middle">{time(step)}</text>')
        step *= 10
    for number, row in enumerate(found):
        line = top + number * (BAR + GAP)
        name = escape(f"{row['peer']}: {row['variant']}, {DO[row['body']]}" + (" (isolates)" if row["isolates"] else ""))
        parts.append(f'<text x="{LEFT - 8}" y="{line + 11}" text-anchor="end">{name}</text>')
        parts.append(f'<rect x="{LEFT}" y="{line}" width="{max(at(row["ns"]) - LEFT, 1):.1f}" height="{BAR}" fill="{COLOURS[row["role"]]}"/>')
        parts.append(f'<text x="{at(row["ns"]) + 6:.1f}" y="{line + 11}">{time(row["ns"])}</text>')
    return parts, bottom + 34
