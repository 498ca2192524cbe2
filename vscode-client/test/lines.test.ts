import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countLines, isLineStart, LineIndex, withoutLastLineEnd } from "../src/core/lines";

const texts = fc
  .array(fc.constantFrom("a", "b", "\n", "\r\n", "\r", "\u2028", "\f", "😀"), { maxLength: 12 })
  .map((it) => it.join(""));

test("offsets of positions", () => {
  const index = new LineIndex("ab\r\nc\rd\n");
  const offsets = [
    [0, 0, 0],
    [0, 2, 2],
    [1, 0, 4],
    [2, 1, 7],
    [3, 0, 8],
    [9, 5, 8],
  ] as const;
  for (const [line, character, offset] of offsets) {
    assert.equal(index.offsetAt({ line, character }), offset);
  }
});

test("a column beyond the line's end stays before the line that follows the next", () => {
  assert.equal(new LineIndex("ab\ncd\n").offsetAt({ line: 0, character: 99 }), 3);
});

test("every line start is one, and holds its own line", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const index = new LineIndex(text);
      for (let line = 0; line < index.numLines; line += 1) {
        const start = index.offsetAt({ line, character: 0 });
        assert.ok(isLineStart(text, start));
        assert.equal(index.lineAt(start), line);
      }
    }),
  );
});

test("offsets that are line starts are those of lines", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const index = new LineIndex(text);
      const starts = Array.from({ length: index.numLines }, (_, line) => index.offsetAt({ line, character: 0 }));
      const found = Array.from({ length: text.length + 1 }, (_, offset) => offset).filter((it) =>
        isLineStart(text, it),
      );
      assert.deepEqual(found, starts);
    }),
  );
});

test("lines are counted with and without a last line end", () => {
  assert.deepEqual(["", "a", "a\n", "a\nb", "\n", "\n\n", "a\r\n"].map(countLines), [0, 1, 1, 2, 1, 2, 1]);
});

test("one line end goes, of whatever kind", () => {
  assert.deepEqual(["a\n", "a\r\n", "a\r", "a", "a\n\n"].map(withoutLastLineEnd), ["a", "a", "a", "a", "a\n"]);
});
