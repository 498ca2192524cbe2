"""Source files that every kind of made-up edit finds something in."""

from copyspan.train.data.synthetic.edit import SourceFile

PYTHON = '''\
"""Prices of a shop."""

import logging
import re
import sys

from decimal import Decimal
from pathlib import Path

logger = logging.getLogger(__name__)

MAX_ITEMS = 20
__all__ = [
    "total_price",
    "Basket",
    "read_rows",
]


def total_price(items, rate=1):
    """Add up the prices of all items."""
    result = 0
    # Items without a price are free.
    for i in range(len(items) - 1):
        if not items[i].price:
            continue
        result += items[i].price * rate
        count_of(items[0])
    return result


def read_rows(path: Path, strict: bool = True) -> list[str]:
    """
    Read the rows of a file.
    """
    rows = []
    for line in path.read_text().split("\\n"):
        if line.startswith("#") or not line.strip():
            continue
        rows.append(line)
    parsed = re.sub("a", "b", rows[0])
    open_log(parsed)
    return list(reversed(rows))


def show(first, second):
    print(f"{first!r} and {second}", file=sys.stderr, end="")
    options = {"width": 20, "height": 10}
    borders = [
        "left",
        "right",
        "above",
    ]
    logger.info(options, borders)


def compare(left, right):
    show(left, right)
    if left is None or right is None:
        return False
    difference = left - right
    return difference < Decimal(1)


class Basket:
    """What somebody wants to buy."""

    def __init__(self, owner_name, limit=MAX_ITEMS):
        self.owner_name = owner_name
        self.rows = []
        self.limit = limit

    def add_row(self, row):
        """Put a row into the basket."""
        if len(self.rows) >= self.limit:
            raise ValueError(row)
        self.rows.append(row)
        self.count = self.count + 1
        return self

    def num_rows(self):
        return len(self.rows)

    def label(self, text):
        return text.strip()

    def title(self):
        return self.label("basket") + self.label("!")
'''

SCRIPT = """\
const fs = require('fs');
const path = require('path');
const assert = require('assert');
const zlib = require('zlib');

const maxItems = 20;

/**
 * Add up the prices of all items.
 */
function totalPrice(items, rate) {
  let result = 0;
  // Items without a price are free.
  for (let i = 0; i < items.length - 1; i++) {
    if (!items[i].price) {
      continue;
    }
    result += items[i].price * rate;
  }
  result += 1;
  result -= rate;
  return result;
}

function show(first, second) {
  const options = { width: 20, height: 10 };
  const borders = [
    'left',
    'right',
    'above',
  ];
  console.log(`${first} and ${second}`, options);
  assert(borders);
  const gap = first - second;
  return path.join(first, second);
}

const readRows = async (name) => {
  const rows = [];
  const text = fs.readFileSync(name, { encoding: 'utf-8' });
  for (const line of text.split('\\n')) {
    if (line.startsWith('#') || /^\\s*$/.test(line)) {
      continue;
    }
    rows.push(line);
  }
  show(name, rows);
  return rows;
};
"""

MARKDOWN = """\
# Baskets

A library for baskets. See the [documentation](https://example.org/docs) for every option.

## Getting going

Install the library, then start with an example:

```python
import baskets  # - not a list item
```

- Widgets for shops
- Apples, and other fruit
- Tables without legs

## Steps

1. Open the basket
2. Put something into it
3. Close the basket
"""

FILES = (
    SourceFile("shop@0123456789ab:src/shop.py", "shop.py", "python", PYTHON, "MIT"),
    SourceFile("shop@0123456789ab:web/shop.js", "shop.js", "javascript", SCRIPT, "MIT"),
    SourceFile("shop@0123456789ab:README.md", "README.md", "markdown", MARKDOWN, "MIT"),
)


def source_file(text: str, lang: str = "python") -> SourceFile:
    name = {"python": "a.py", "javascript": "a.js", "markdown": "a.md"}[lang]
    return SourceFile(name, name, lang, text)
