"""Pairs from the commits of a repository that the test makes, and from records."""

import json

import pytest
from train_repository import FIVE, SIX, Repository

from copyspan.errors import SourceError, UsageError
from copyspan.train.data.fitness import Limits, decoded, is_fit, is_foreign
from copyspan.train.data.mine import from_records, mine
from copyspan.train.data.subjects import instruction_of


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    return Repository(folder)


def test_commits_of_one_file_become_pairs(repository):
    repository.commit("Start the shop", a__py=FIVE, src___b__md=FIVE)
    repository.commit("fix(shop): Count to six, closes #12", a__py=SIX)
    repository.commit("Count to seven in the docs", src___b__md=SIX.replace("six", "süß"))
    pairs = list(mine(repository.folder, license="MIT"))
    assert [(pair.instruction, pair.lang, pair.name) for pair in pairs] == [
        ("Count to six", "python", "a.py"),
        ("Count to seven in the docs", "markdown", "b.md"),
    ]
    assert (pairs[0].before, pairs[0].after) == (FIVE, SIX)
    assert pairs[1].after.endswith("süß\n")
    assert {(pair.kind, pair.license) for pair in pairs} == {("commit", "MIT")}
    commit, _, path = pairs[1].source.removeprefix("shop@").partition(":")
    assert (len(commit), path) == (12, "src/b.md")
    assert list(mine(repository.folder, license="MIT", newest_first=True)) == pairs[::-1]
    assert list(mine(repository.folder, license="MIT", most=1)) == pairs[:1]
    assert next(mine(repository.folder, name="mine")).source.startswith("mine@")


@pytest.mark.parametrize(
    ("subject", "files"),
    [
        ("Change two of the files", {"a__py": SIX, "b__py": SIX}),
        ("Bump the version of everything", {"a__py": SIX}),
        ("wip", {"a__py": SIX}),
        ("Write a file of no language", {"a__xyz": SIX}),
        ("Lock the dependencies again", {"package-lock__json": SIX}),
        ("Change many lines at once", {"a__py": "".join(f"{i}\n" for i in range(60))}),
        ("Make it as long as a book", {"a__py": FIVE + "x\n" * 400}),
        ("Make it very short now", {"a__py": "one\ntwo\n"}),
        ("Write something binary here", {"a__py": FIVE.encode() + b"\0"}),
        ("Write something in Latin-1", {"a__py": FIVE.encode() + b"\xe4"}),
        ("Add a file that was not there", {"c__py": SIX}),
        ("Change nothing at all here", {}),
    ],
)
def test_commits_that_are_left_out(repository, subject, files):
    names = {"a__py", "b__py", "a__xyz", "package-lock__json"}
    repository.commit("Start the shop", **dict.fromkeys(names, FIVE))
    repository.commit(subject, **files)
    assert list(mine(repository.folder)) == []


def test_renames_and_merges_are_left_out(repository):
    repository.commit("Start the shop", a__py=FIVE, b__py=FIVE)
    repository.git("mv", "a.py", "c.py")
    repository.commit("Call the file something else")
    repository.git("checkout", "--quiet", "-b", "other", "HEAD~1")
    repository.commit("Count to six in b", b__py=SIX)
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "-m", "Count to six by a merge", "other")
    assert [pair.instruction for pair in mine(repository.folder)] == ["Count to six in b"]


def test_a_commit_that_was_picked_counts_once(repository):
    repository.commit("Start the shop", a__py=FIVE)
    repository.commit("Count to six here", a__py=SIX)
    repository.commit("Count to five again", a__py=FIVE)
    repository.commit("Count to six once more", a__py=SIX)
    assert [pair.instruction for pair in mine(repository.folder)] == ["Count to six here", "Count to five again"]


def test_no_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(SourceError, match="cannot be read by git: fatal: not a git repository"):
        list(mine(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="Install git"):
        list(mine(tmp_path))


def test_records(tmp_path):
    record = {"id": "o/shop@ab12cd34:src/a.js", "lang": "js", "instruction": "docs: Say it better (#3)", "extra": 1}
    path = tmp_path / "records.jsonl"
    short = record | {"id": "o/shop@ab12cd34:b.js", "before": "a\n", "after": "b\n"}
    path.write_text("\n".join(json.dumps(r) for r in (record | {"before": FIVE, "after": SIX}, short)))
    (pair,) = from_records(path, license="MIT")
    assert pair.model_dump() == {
        "id": record["id"],
        "kind": "commit",
        "source": record["id"],
        "license": "MIT",
        "lang": "javascript",
        "name": "a.js",
        "instruction": "Say it better",
        "before": FIVE,
        "after": SIX,
    }
    path.write_text('{"id": "a", "before": "SECRET"}')
    with pytest.raises(UsageError, match=r"line 1 is no record of a commit: instruction: field required") as caught:
        list(from_records(path))
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("subject", "instruction"),
    [
        ("Fix the link in the docs", "Fix the link in the docs"),
        ("feat(api)!: Return early", "Return early"),
        ("refactor: Simplify file size check", "Simplify file size check"),
        (":bug: Return early on errors", "Return early on errors"),
        ("✨ Return early on errors", "Return early on errors"),
        ("ABC-123: Return early on errors", "Return early on errors"),
        ("[core] Return early on errors", "Return early on errors"),
        ("Return early on errors (#12)", "Return early on errors"),
        ("Return early on errors, fixes owner/name#12", "Return early on errors"),
        ("Return early: GH-12", "Return early"),
        ("Use f'{a}' for # comments", "Use f'{a}' for # comments"),
        ("Merge branch 'main' of x", None),
        ('Revert "Return early"', None),
        ("chore: Bump x from 1 to 2", None),
        ("v1.2.3 is out now", None),
        ("Release the new version", None),
        ("fix: typo", None),
        ("Return early on errors and then do someth...", None),
        ("", None),
        ("#12", None),
    ],
)
def test_subjects(subject, instruction):
    assert instruction_of(subject) == instruction


@pytest.mark.parametrize(
    ("path", "foreign"),
    [
        ("src/a.py", False),
        ("lock.py", False),
        ("src/build.py", False),
        ("package-lock.json", True),
        ("a/Cargo.lock", True),
        ("static/app.min.js", True),
        ("node_modules/x/a.js", True),
        ("api/x_pb2.py", True),
    ],
)
def test_foreign_files(path, foreign):
    assert is_foreign(path) is foreign


def test_limits():
    assert is_fit(FIVE, SIX, Limits())
    assert not is_fit(FIVE, FIVE, Limits())
    assert not is_fit(FIVE, SIX, Limits(min_lines=6))
    assert not is_fit(FIVE, SIX, Limits(max_lines=5))
    assert not is_fit(FIVE, FIVE.replace("o", "0"), Limits(max_changed=2))
    assert is_fit(FIVE, FIVE.replace("o", "0"), Limits(max_changed=3))
    assert not is_fit("# Generated by a tool\n" + FIVE, SIX, Limits())
    assert not is_fit(FIVE, FIVE + "x" * 2000, Limits())


def test_bytes_that_are_text():
    assert decoded("ä\r\n".encode()) == "ä\r\n"
    assert decoded(b"a\0") is None
    assert decoded(b"\xff") is None
