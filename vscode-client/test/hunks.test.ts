import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fits, moved, track } from "../src/core/hunks";
import { LineIndex } from "../src/core/lines";
import { applied } from "../src/core/timeline";
import { accepted, change, tracked } from "./builders";

const TEXT = "one\ntwo\nthree\nfour\n";

function after(first: number, stop: number, newText: string, old: string, text: string): string | undefined {
  const it = change(TEXT, old, text);
  const now = applied(TEXT, [it]);
  const hunk = moved(tracked(TEXT, first, stop, newText), [it]);
  return hunk && fits(hunk, now) ? accepted(hunk, now) : undefined;
}

test("typing above moves a hunk", () => {
  assert.equal(after(1, 2, "TWO\n", "one", "one\nmore"), "one\nmore\nTWO\nthree\nfour\n");
});

test("typing below leaves a hunk alone", () => {
  assert.equal(after(1, 2, "TWO\n", "four", "fourth"), "one\nTWO\nthree\nfourth\n");
});

test("typing in the old lines makes a hunk fit no more", () => {
  assert.equal(after(1, 2, "TWO\n", "tw", "TW"), undefined);
  assert.equal(after(1, 2, "TWO\n", "two", "xtwo"), undefined);
  assert.equal(after(1, 2, "TWO\n", "two\n", "two"), undefined);
  assert.equal(after(1, 2, "TWO\n", "one\n", "one"), undefined);
});

test("a line that is put right before or after the old lines is no part of them", () => {
  assert.equal(after(1, 2, "TWO\n", "\ntwo", "\nnew\ntwo"), undefined); // the change replaces a part of them
  const [before, behind] = [
    { start: 4, stop: 4, text: "new\n" },
    { start: 8, stop: 8, text: "new\n" },
  ];
  for (const [it, wanted] of [
    [before, "one\nnew\nTWO\nthree\nfour\n"],
    [behind, "one\nTWO\nnew\nthree\nfour\n"],
  ] as const) {
    const hunk = moved(tracked(TEXT, 1, 2, "TWO\n"), [it]);
    assert.ok(hunk && fits(hunk, applied(TEXT, [it])));
    assert.equal(accepted(hunk, applied(TEXT, [it])), wanted);
  }
});

test("an insertion stays between its lines", () => {
  assert.equal(after(1, 1, "new\n", "one", "ONE"), "ONE\nnew\ntwo\nthree\nfour\n");
  assert.equal(after(1, 1, "new\n", "two", "TWO"), "one\nnew\nTWO\nthree\nfour\n");
  assert.equal(after(1, 1, "new\n", "one\ntwo", "onetwo"), undefined);
  const typed = [{ start: 4, stop: 4, text: "x" }];
  const hunk = moved(tracked(TEXT, 1, 1, "new\n"), typed);
  assert.ok(hunk && fits(hunk, applied(TEXT, typed)));
  assert.equal(accepted(hunk, applied(TEXT, typed)), "one\nnew\nxtwo\nthree\nfour\n");
});

test("a deletion of the last line takes the line end before it along, and guards it", () => {
  const text = "one\ntwo";
  const gone = { start: { line: 0, character: 3 }, end: { line: 1, character: 3 } };
  const wire = {
    range: { ...gone, start: { line: 1, character: 0 } },
    oldText: "two",
    newText: "",
    edits: [{ range: gone, newText: "" }],
  };
  const hunk = track(wire, new LineIndex(text), "h");
  assert.equal(accepted(hunk, text), "one");
  const typed = [{ start: 3, stop: 3, text: "!" }];
  const shifted = moved(hunk, typed);
  assert.ok(shifted && fits(shifted, applied(text, typed)));
  assert.equal(accepted(shifted, applied(text, typed)), "one!");
  const grown = [{ start: 7, stop: 7, text: "\nthree" }];
  const same = moved(hunk, grown);
  assert.ok(same === undefined || !fits(same, applied(text, grown)));
});

const lines = fc.array(fc.constantFrom("a\n", "bb\n", "\n", "ccc\r\n"), { minLength: 1, maxLength: 6 });
const inserted = fc.constantFrom("", "x", "\n", "x\n", "\ny", "x\ny\n");

test("law: a hunk that fits changes the lines that it was made for and no others", () => {
  fc.assert(
    fc.property(lines, fc.nat(6), fc.nat(6), fc.nat(30), fc.nat(6), inserted, (parts, from, size, at, cut, text) => {
      const document = parts.join("");
      const first = Math.min(from, parts.length);
      const stop = Math.min(first + size, parts.length);
      const start = Math.min(at, document.length);
      const it = { start, stop: Math.min(start + cut, document.length), text };
      const now = applied(document, [it]);
      const hunk = moved(tracked(document, first, stop, "NEW\n"), [it]);
      if (hunk === undefined || !fits(hunk, now)) {
        return;
      }
      assert.equal(now.slice(hunk.lines.start, hunk.lines.stop), hunk.oldText);
      assert.equal(accepted(hunk, now), `${now.slice(0, hunk.lines.start)}NEW\n${now.slice(hunk.lines.stop)}`);
    }),
  );
});

test("law: a change of other lines and the hunk give the same text in either order", () => {
  fc.assert(
    fc.property(lines, lines, lines, inserted, fc.boolean(), (above, old, below, text, isAbove) => {
      const [head, middle, tail] = [above.join(""), old.join(""), below.join("")];
      const document = `${head}|\n${middle}|\n${tail}`;
      const hunk = tracked(document, above.length + 1, above.length + 1 + old.length, "NEW\n");
      const at = isAbove ? 0 : document.length - tail.length;
      const it = [{ start: at, stop: at, text }];
      const survivor = moved(hunk, it);
      assert.ok(survivor && fits(survivor, applied(document, it)));
      const grown = `${isAbove ? text : ""}${head}|\nNEW\n|\n${isAbove ? "" : text}${tail}`;
      assert.equal(accepted(survivor, applied(document, it)), grown);
    }),
  );
});
