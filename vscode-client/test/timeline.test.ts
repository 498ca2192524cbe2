import assert from "node:assert/strict";
import { test } from "node:test";
import { applied, growth, Timeline } from "../src/core/timeline";

test("texts of versions, and what came after them", () => {
  const timeline = new Timeline(3, "ab");
  const [first, second] = [
    { start: 0, stop: 1, text: "AA" },
    { start: 3, stop: 3, text: "!" },
  ];
  timeline.record({ version: 4, changes: [first] });
  timeline.record({ version: 6, changes: [second] });
  assert.deepEqual(timeline.since(3), { text: "ab", changes: [first, second] });
  assert.deepEqual(timeline.since(4), { text: "AAb", changes: [second] });
  assert.deepEqual(timeline.since(6), { text: "AAb!", changes: [] });
  assert.equal(timeline.since(5), undefined);
  assert.equal(timeline.since(2), undefined);
});

test("changes are made one after the other", () => {
  const changes = [
    { start: 0, stop: 0, text: "xy" },
    { start: 1, stop: 3, text: "" },
  ];
  assert.equal(applied("ab", changes), "xb");
  assert.deepEqual(changes.map(growth), [2, -2]);
});
