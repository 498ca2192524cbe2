import assert from "node:assert/strict";
import { test } from "node:test";
import { Preview } from "../src/core/preview";
import { answer, change, hunk, result } from "./builders";

const TEXT = "one\ntwo\nthree\nfour\n";

function begun(version = 1): Preview {
  const preview = new Preview(version, TEXT);
  preview.begin(version, TEXT);
  return preview;
}

function type(
  preview: Preview,
  version: number,
  text: string,
  old: string,
  now: string,
): { text: string; gone: number } {
  const it = change(text, old, now);
  const after = text.slice(0, it.start) + now + text.slice(it.stop);
  return { text: after, gone: preview.change(version, after, [it]) };
}

test("an answer is shown while it is written", () => {
  const preview = begun();
  preview.follow([answer(1), { kind: "copied", startLine: 0, stopLine: 1 }, { kind: "text", line: 1, text: "TW" }]);
  assert.equal(preview.proposal.hunks.length, 0);
  assert.equal(preview.proposal.writing?.offset, 4);
  preview.follow([{ kind: "text", line: 1, text: "O\n" }]);
  assert.equal(preview.proposal.writing?.text, "TWO\n");
  preview.follow([
    { kind: "copied", startLine: 2, stopLine: 3 },
    { kind: "hunk", index: 0, hunk: hunk(TEXT, 1, 2, "TWO\n") },
  ]);
  assert.equal(preview.proposal.writing, undefined);
  assert.equal(preview.proposal.hunks[0]?.newText, "TWO\n");
  assert.equal(preview.proposal.isFinal, false);
});

test("what is written as it stands there is not shown until it differs", () => {
  const preview = begun();
  for (const text of ["o", "ne\n", "tw"]) {
    preview.follow([...(text === "o" ? [answer(1)] : []), { kind: "text", line: 0, text }]);
    assert.equal(preview.proposal.writing, undefined);
  }
  preview.follow([{ kind: "text", line: 0, text: "in" }]);
  assert.equal(preview.proposal.writing?.text, "one\ntwin");
});

test("nor where lines end otherwise than in what the model writes", () => {
  const preview = new Preview(1, "one\r\ntwo\r\n");
  preview.begin(1, "one\r\ntwo\r\n");
  preview.follow([answer(1), { kind: "text", line: 0, text: "one\ntwo" }]);
  assert.equal(preview.proposal.writing, undefined);
});

test("a second answer makes the first one void", () => {
  const preview = begun();
  preview.follow([answer(1), { kind: "hunk", index: 0, hunk: hunk(TEXT, 1, 2, "TWO\n") }, answer(1)]);
  assert.equal(preview.proposal.hunks.length, 0);
});

test("partial results for nobody are dropped", () => {
  const preview = new Preview(1, TEXT);
  preview.follow([answer(1), { kind: "hunk", index: 0, hunk: hunk(TEXT, 1, 2, "TWO\n") }]);
  assert.equal(preview.proposal.hunks.length, 0);
});

test("what is being written moves with the lines", () => {
  const preview = begun();
  preview.follow([answer(1), { kind: "text", line: 2, text: "x" }]);
  type(preview, 2, TEXT, "one", "one more");
  assert.equal(preview.proposal.writing?.offset, 13);
});

test("the result is final, and can be taken", () => {
  const preview = begun();
  assert.equal(preview.finish(result(1, [hunk(TEXT, 0, 1, "ONE\n"), hunk(TEXT, 2, 3, "")])), 0);
  assert.equal(preview.proposal.isFinal, true);
  assert.equal(preview.proposedText, "ONE\ntwo\nfour\n");
  const [first] = preview.hunks;
  assert.deepEqual(preview.take([first!.id]), [first]);
  assert.equal(preview.hunks.length, 1);
  preview.restore([first!]);
  assert.deepEqual(preview.hunks[0], first);
  assert.equal(preview.take().length, 2);
  assert.equal(preview.hunks.length, 0);
});

test("a result for an older text finds its lines in the newest", () => {
  const preview = begun();
  const { text } = type(preview, 2, TEXT, "one", "zero\none");
  assert.equal(preview.finish(result(1, [hunk(TEXT, 3, 4, "FOUR\n")])), 0);
  assert.equal(preview.proposedText, text.replace("four", "FOUR"));
});

test("a result for a text in between does, too", () => {
  const preview = begun();
  const middle = type(preview, 2, TEXT, "one", "zero\none").text;
  const last = type(preview, 3, middle, "zero", "nil\nnil").text;
  preview.finish(result(2, [hunk(middle, 4, 5, "FOUR\n")]));
  assert.equal(preview.proposedText, last.replace("four", "FOUR"));
});

test("a result for a text that never was is not shown", () => {
  const preview = begun();
  assert.equal(preview.finish(result(9, [hunk(TEXT, 0, 1, "ONE\n")])), 1);
  assert.equal(preview.hunks.length, 0);
});

test("typing over a hunk takes it away, and no other", () => {
  const preview = begun();
  preview.finish(result(1, [hunk(TEXT, 0, 1, "ONE\n"), hunk(TEXT, 2, 3, "THREE\n")]));
  assert.equal(type(preview, 2, TEXT, "on", "On").gone, 1);
  assert.deepEqual(
    preview.hunks.map((it) => it.newText),
    ["THREE\n"],
  );
});

test("a hunk that is typed over while it waits to be put back stays away", () => {
  const preview = begun();
  preview.finish(result(1, [hunk(TEXT, 0, 1, "ONE\n")]));
  const taken = preview.take();
  type(preview, 2, TEXT, "on", "On");
  preview.restore(taken);
  assert.equal(preview.hunks.length, 0);
});

test("while the next candidate is made the last one is shown, until there is more to see", () => {
  const preview = begun();
  preview.finish(result(1, [hunk(TEXT, 0, 1, "ONE\n")]));
  preview.begin(1, TEXT);
  preview.follow([answer(1)]);
  assert.deepEqual(
    preview.proposal.hunks.map((it) => it.newText),
    ["ONE\n"],
  );
  assert.equal(preview.proposal.isFinal, false);
  preview.follow([{ kind: "hunk", index: 0, hunk: hunk(TEXT, 0, 1, "UN\n") }]);
  assert.deepEqual(
    preview.proposal.hunks.map((it) => it.newText),
    ["UN\n"],
  );
  preview.end();
  assert.deepEqual(
    preview.proposal.hunks.map((it) => it.newText),
    ["ONE\n"],
  );
  assert.equal(preview.proposal.isFinal, true);
});

test("accepting some of a result's hunks moves the others", () => {
  const preview = begun();
  preview.finish(result(1, [hunk(TEXT, 0, 1, "ONE\nAND\n"), hunk(TEXT, 3, 4, "FOUR\n")]));
  const [first] = preview.take([preview.hunks[0]!.id]);
  const [edit] = first!.edits;
  const text = TEXT.slice(0, edit!.start) + edit!.text + TEXT.slice(edit!.stop);
  assert.equal(preview.change(2, text, [edit!]), 0);
  assert.equal(preview.proposedText, "ONE\nAND\ntwo\nthree\nFOUR\n");
  assert.ok(preview.isOf(2));
});

test("after clearing there is nothing to go on from", () => {
  const preview = begun();
  preview.finish(result(1, [hunk(TEXT, 0, 1, "ONE\n")]));
  preview.clear();
  assert.equal(preview.result, undefined);
  assert.deepEqual(preview.proposal, { hunks: [], writing: undefined, isFinal: true });
});
