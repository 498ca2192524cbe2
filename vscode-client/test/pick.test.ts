import assert from "node:assert/strict";
import { test } from "node:test";
import { hunkAfter, hunkAt, hunkBefore } from "../src/core/pick";

const HUNKS = [
  { id: "top", from: -1, below: -1 },
  { id: "a", from: 4, below: 6 },
  { id: "b", from: 10, below: 10 },
];

test("the hunk at a line, or the nearest", () => {
  const at = [0, 4, 5, 6, 8, 9, 10, 50].map((line) => hunkAt(HUNKS, line)?.id);
  assert.deepEqual(at, ["top", "a", "a", "a", "b", "b", "b", "b"]);
  assert.equal(hunkAt([], 3), undefined);
});

test("forwards and backwards, around the ends", () => {
  assert.deepEqual(
    [-1, 0, 4, 7, 10].map((line) => hunkAfter(HUNKS, line)?.id),
    ["top", "a", "b", "b", "top"],
  );
  assert.deepEqual(
    [0, 4, 7, 10, 11].map((line) => hunkBefore(HUNKS, line)?.id),
    ["b", "top", "a", "a", "b"],
  );
});
