import assert from "node:assert/strict";
import { test } from "node:test";
import { cardsOf, marksOf, whatHappens } from "../src/core/cards";
import { track } from "../src/core/hunks";
import { LineIndex } from "../src/core/lines";
import { tracked } from "./builders";

const TEXT = "one\ntwo\nthree\n";

function card(first: number, stop: number, newText: string, text = TEXT) {
  const hunks = [tracked(text, first, stop, newText)];
  return cardsOf({ hunks, writing: undefined, isFinal: true }, text)[0]!;
}

test("new lines stand below the old ones", () => {
  const { from, below, label, text } = card(0, 2, "ONE\nTWO\nAND\n");
  assert.deepEqual(
    { from, below, label, text },
    { from: 0, below: 1, label: "1/1 - replace 2 lines by 3", text: "ONE\nTWO\nAND" },
  );
});

test("insertions stand between lines, above the first one, too", () => {
  assert.deepEqual([card(0, 0, "new\n").below, card(1, 1, "new\n").below, card(3, 3, "new\n").below], [-1, 0, 2]);
});

test("what is appended to a last line without a line end stands below it", () => {
  assert.equal(card(2, 2, "\nnew", "one\ntwo").below, 1);
});

test("in an empty document there is nothing to stand below", () => {
  assert.equal(card(0, 0, "new\n", "").below, -1);
});

test("lines that only go away have no text", () => {
  assert.deepEqual([card(1, 2, "").text, card(1, 2, "").label], [undefined, "1/1 - delete 1 line"]);
});

test("what is being written has a card after the hunks", () => {
  const writing = { id: "w", offset: 8, text: "new\nli" };
  const cards = cardsOf({ hunks: [tracked(TEXT, 0, 1, "ONE\n")], writing, isFinal: false }, TEXT);
  assert.deepEqual(
    cards.map((it) => [it.label, it.below, it.isFinal]),
    [
      ["1/1 - replace 1 line", 0, false],
      ["writing...", 1, false],
    ],
  );
});

test("old lines and words are marked; words not where whole lines go", () => {
  const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } };
  const word = { start: { line: 1, character: 1 }, end: { line: 1, character: 2 } };
  const edits = [{ range: word, newText: "x" }];
  const some = track({ range, oldText: "two\n", newText: "txo\n", edits }, new LineIndex(TEXT), "h");
  const marks = marksOf([some, tracked(TEXT, 2, 3, ""), tracked(TEXT, 3, 3, "new\n")], TEXT);
  assert.deepEqual(marks.lines, [
    { first: 1, last: 1 },
    { first: 2, last: 2 },
  ]);
  assert.deepEqual(
    marks.words.map(({ start, stop }) => [start, stop]),
    [[4, 7]], // "two", of which the edit takes "w" alone
  );
});

test("a mark between words stays as small as its edit", () => {
  const text = "a = b + c\n";
  const hunk = tracked(text, 0, 1, "a = b - c\n");
  const { words } = marksOf([{ ...hunk, edits: [{ start: 6, stop: 7, text: "-" }] }], text);
  assert.deepEqual(
    words.map(({ start, stop }) => text.slice(start, stop)),
    ["+"],
  );
});

test("what happens, in words", () => {
  assert.equal(whatHappens("", "a\nb\n"), "insert 2 lines");
  assert.equal(whatHappens("a\n", ""), "delete 1 line");
  assert.equal(whatHappens("a\n", "b\n"), "replace 1 line");
  assert.equal(whatHappens("a\nb\n", "c"), "replace 2 lines by 1");
});
