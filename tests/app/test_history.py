"""history: versions of a model that answer by a plan, error terms that grow in known ways, and their record."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.analysis.history_terms import BY_ITEM, WHOLE
from eyechart.app.folder import Folder
from eyechart.app.history import Logbook, history
from eyechart.app.history_record import read_record
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.changes import Changes

MODEL = """
import zlib


def _share(*parts):
    return zlib.crc32(" ".join(map(str, parts)).encode()) % 1000 / 10


def _version(right, refuse, salt):
    def model(prompt):
        n = prompt.split("number ")[1].split()[0].strip("?.")
        if _share("refuses", salt, n) < refuse:
            return "I am sorry, but I cannot help with that."
        return n if _share("right", n) + _share("noise", salt, n) / 10 < right else "7"
    return model


v0, v1, v2 = (_version(80, 1, salt) for salt in "abc")
v3, v4, v5 = (_version(80, 25, salt) for salt in "def")
v6 = _version(80, 1, "g")
"""
HELD = "evaluation: {extraction: number, score: numeric}\n"


def run(name: str, version: str, more: str = "", items: str = "q.jsonl") -> ec.Run:
    study = f"dataset: {{path: {items}}}\nmodel: {{backend: function, path: 'versions:{version}'}}\n{HELD}{more}"
    return ec.loads(study).run(name)


def finished_at(name: str, at: str) -> None:
    """As if the run had ended then, and was sealed so."""
    path = Path(name) / "run.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["finished"] = at
    path.write_text(json.dumps(facts), encoding="utf-8")
    Folder(Path(name)).seal()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven weeks, made once: refusals begin with the fourth and end with the seventh."""
    base = tmp_path_factory.mktemp("made")
    rows = [{"id": f"q{n}", "question": f"Say the number {n}.", "answer": str(n)} for n in range(100, 220)]
    (base / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (base / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:60]), encoding="utf-8")
    (base / "versions.py").write_text(MODEL, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(base)
        patch.syspath_prepend(str(base))
        sys.modules.pop("versions", None)
        for week in range(7):
            run(f"weeks/w{week}", f"v{week}", "prices: {prompt: 1, completion: 2}\n" if week == 6 else "")
            finished_at(f"weeks/w{week}", f"2020-01-0{week + 1}T12:00:00+00:00")
        run("other/cold", "v0", "decoding: {max_new_tokens: 5}\n")
        run("other/few", "v0", items="r.jsonl")
        run("other/cue", "v0", "prompt: {cue: 'Number:'}\n")
        for name in ("cold", "few", "cue"):
            finished_at(f"other/{name}", "2020-01-09T12:00:00+00:00")
    sys.modules.pop("versions", None)
    return base


@pytest.fixture
def weeks(made: Path) -> Path:
    shutil.copytree(made, ".", dirs_exist_ok=True)
    return Path("weeks")


def look(*runs: Path | str, **options: object) -> Logbook:
    return history(*runs, readers=False, **options)  # type: ignore[arg-type]


def terms(found: Logbook, at: int) -> dict[str, str]:
    return {term.name: term.moved for term in found.moments[at].terms}


def cli(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["history", *words, "--no-readers"])
    return done.exit_code, done.stdout, done.stderr


def test_the_score_moved_where_the_model_began_to_refuse(weeks: Path) -> None:
    found = history(weeks)
    assert [Path(m.source).name for m in found.moments] == [f"w{i}" for i in range(7)]
    assert isinstance(found.changes, Changes)
    assert [c.at for c in found.changes.changes] == [3, 6]
    assert [c.effect.value < 0 for c in found.changes.changes] == [True, False]
    assert terms(found, 3)["refused"] == "grew"
    assert terms(found, 6)["refused"] == "shrank"
    assert {name for name, moved in terms(found, 6).items() if moved} == {"refused"}
    assert set(terms(found, 0)) == {*BY_ITEM, *WHOLE}
    assert [d.field for d in found.moments[3].changed] == ["model.function"]
    assert found.moments[0].changed == ()


def test_a_term_is_what_was_counted(weeks: Path) -> None:
    found = look(weeks)
    moment = found.moments[3]
    run = ec.open(moment.source)
    value = next(t.value for t in moment.terms if t.name == "refused")
    assert isinstance(value, Estimate)
    assert value.value == run.scores()[0].outcomes["refused"] / 120
    noise = next(t.value for t in moment.terms if t.name == "run_noise")
    assert isinstance(noise, NotEstimable)
    assert moment.score == run.scores()[0].new_items or isinstance(moment.score, Estimate)
    change = next(t.change for t in moment.terms if t.name == "refused")
    assert isinstance(change, Estimate)
    assert change.interval is not None
    assert change.interval.low > 0


def test_other_procedures_and_other_items_are_named(weeks: Path) -> None:
    found = look("weeks", "other")
    assert len(found.moments) == 8  # another prompt may belong to a history
    assert [d.field for d in found.moments[-1].changed] == ["prompt.cue", "model.function"] or {
        d.field for d in found.moments[-1].changed
    } == {"prompt.cue", "model.function"}
    by = {Path(one.source).name: [d.field for d in one.differences] for one in found.apart}
    assert by == {"cold": ["decoding.max_new_tokens"], "few": ["dataset.items"]}
    assert len(look("weeks", "other", moving=["decoding.max_new_tokens"]).moments) == 9


def test_a_run_of_unknown_time_is_said(weeks: Path) -> None:
    finished_at("weeks/w2", "not said by the log")
    found = look(weeks)
    assert [Path(one.source).name for one in found.apart] == ["w2"]
    given = look(*(weeks / f"w{i}" for i in (2, 0, 1)), given=True)
    assert [Path(m.source).name for m in given.moments] == ["w2", "w0", "w1"]
    assert given.moments[0].at is None
    for i in range(7):
        finished_at(f"weeks/w{i}", "?")
    with pytest.raises(InputError, match="order given"):
        look(weeks)


def test_what_it_cost_is_counted_and_reused_answers_say_nothing_of_their_time(weeks: Path) -> None:
    found = look(weeks)
    assert found.spent.calls == 7 * 120
    assert [m.spent.money for m in found.moments[:6]] == [None] * 6
    Path("versions.py").write_text(MODEL, encoding="utf-8")
    sys.path.insert(0, str(Path.cwd()))
    try:
        sys.modules.pop("versions", None)
        first = ec.loads(f"dataset: {{path: q.jsonl}}\nmodel: {{backend: function, path: 'versions:v6'}}\n{HELD}")
        first.execute("weeks/w7", store=Path("shared.sqlite"))
        first.execute("weeks/w8", store=Path("shared.sqlite"))
    finally:
        sys.path.pop(0)
        sys.modules.pop("versions", None)
    again = look(weeks)
    assert [(m.spent.calls, m.spent.reused) for m in again.moments[-2:]] == [(120, 0), (0, 120)]
    assert any("w8" in str(note) for note in again.notes)


def test_how_often_a_single_run_would_have_said_otherwise(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(made, ".", dirs_exist_ok=True)
    for name, accuracy in (("a", 0.72), ("b", 0.6)):
        ec.loads(
            "dataset: {path: q.jsonl}\ndecoding: {temperature: 1}\nrepeats: {count: 4}\n"
            f"model: {{backend: synthetic, options: {{accuracy: {accuracy}}}}}\n{HELD}"
        ).run(f"drawn/{name}")
        finished_at(f"drawn/{name}", f"2020-01-0{1 + (name == 'b')}T00:00:00+00:00")
    found = look("drawn")
    last = found.moments[-1]
    assert last.other_verdicts is not None
    assert last.other_verdicts * 4 == round(last.other_verdicts * 4)
    noise = next(t.value for t in last.terms if t.name == "run_noise")
    assert isinstance(noise, Estimate)
    # Two draws of right with p differ with 2 p (1 - p), by the mean over items.
    assert 0.2 < noise.value < 0.5
    assert found.repeats == 4


def test_a_reader_that_misses_answers_is_an_error_term(weeks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("spoken.py").write_text(
        "def wordy(prompt):\n"
        "    n = prompt.split('number ')[1].split()[0].strip('?.')\n"
        "    return f'The answer is {n}.' if int(n) % 4 == 0 else n\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("spoken", None)
    study = (
        "dataset: {path: q.jsonl}\nmodel: {backend: function, path: 'spoken:wordy'}\n"
        "evaluation: {extraction: whole, score: exact}\n"
        "factors: [{prompt.cue: ['Answer:', 'number 7?']}]\n"
    )
    ec.loads(study).run("read/one")
    found = history("read")
    values = {term.name: term.value for term in found.moments[0].terms}
    readers, spread, set_ups = values["readers"], values["reader_spread"], values["set_ups"]
    assert isinstance(readers, Estimate)
    assert readers.value == 30 / 120  # every fourth answer stands in a sentence, and `whole` misses it
    assert isinstance(spread, Estimate)
    assert spread.value >= 0.25
    assert isinstance(set_ups, Estimate | NotEstimable)
    assert not isinstance({t.name: t.value for t in look("read").moments[0].terms}["readers"], Estimate)


def test_the_spread_over_set_ups_is_a_term(made: Path) -> None:
    shutil.copytree(made, ".", dirs_exist_ok=True)
    ec.loads(
        "dataset: {path: q.jsonl}\nmodel: {backend: synthetic, options: {accuracy: 0.7, effects: "
        f"[{{when: {{contains: Say}}, add: 0}}, {{when: {{contains: 'Well:'}}, add: -0.4}}]}}}}\n{HELD}"
        "factors: [{prompt.cue: ['Answer:', 'Well:']}]\n"
    ).run("grid/one")
    value = next(t.value for t in look("grid").moments[0].terms if t.name == "set_ups")
    assert isinstance(value, Estimate)
    assert 0.15 < value.value < 0.4  # two set-ups 40 points apart: sd 28


def test_imported_logs_without_a_date_are_said(shared: Path) -> None:
    from eyechart.app.importing import import_logs

    import_logs(shared / "fixtures" / "evalscope", out="runs")
    with pytest.raises(InputError, match="order given"):
        look("runs")
    found = look("runs", given=True)
    assert len(found.moments) == 2
    assert found.spent.calls is None
    assert [m.at for m in found.moments] == [None, None]


def test_a_record_is_kept_beside_the_runs_and_verified_on_fresh_draws(weeks: Path) -> None:
    steps = (["term=refused", "found=weeks/w3"], ["term=refused", "cause=a new filter", "fix=the filter is off"])
    for step in steps:
        code, _, said = cli("weeks", *(word for pair in step for word in ("--record", pair)))
        assert (code, said) == (0, "")
    kept = Path("weeks/eyechart-history.yaml").read_text(encoding="utf-8")
    for wrong, why in (
        (["run=weeks/w6", "against=weeks/w3"], "found the error, and cannot verify its fix"),
        (["run=weeks/w6", "against=weeks/w6"], "cannot be held against itself"),
        (["run=weeks/w6"], "against is missing"),
        (["closed=done"], "closed, and not verified"),
        (["run=weeks/w9", "against=weeks/w5"], "there is no run weeks/w9"),
    ):
        code, _, said = cli("weeks", "--record", "term=refused", *(w for pair in wrong for w in ("--record", pair)))
        assert code == 2
        assert why in said
        assert Path("weeks/eyechart-history.yaml").read_text(encoding="utf-8") == kept
    code, out, _ = cli("weeks", "--record", "term=refused", "--record", "run=weeks/w6", "--record", "against=weeks/w5")
    assert code == 0
    assert "verified: w6 against w5: -" in out
    assert ", holds" in out
    found = look(weeks)
    assert [(one.stage, one.holds) for one in found.entries] == [("verified", True)]
    code, out, _ = cli("weeks", "--record", "version=2", "--record", "protocol=numbers", "--record", "change=no filter")
    assert "protocol numbers, version 2" in out


def test_a_copy_of_the_run_that_found_it_is_no_fresh_draw(weeks: Path) -> None:
    shutil.copytree("weeks/w3", "weeks/copy")
    record = "terms:\n- {term: refused, found: w3, fix: x, verified: {run: w6, against: copy}}\n"
    Path("weeks/eyechart-history.yaml").write_text(record, encoding="utf-8")
    with pytest.raises(InputError, match="120 answers of copy are draws of w3, which found the error"):
        look(weeks)


def test_what_does_not_hold_is_no_more_than_a_fix(weeks: Path) -> None:
    record = "terms:\n- {term: refused, found: w3, fix: x, verified: {run: w5, against: w4}, closed: done}\n"
    Path("weeks/eyechart-history.yaml").write_text(record, encoding="utf-8")
    (one,) = look(weeks).entries
    assert (one.stage, one.holds) == ("fix", False)
    assert "does not hold" in cli("weeks")[1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("terms: 3\n", "a list wanted"),
        ("trems: []\n", "did you mean terms?"),
        ("terms:\n- {term: x}\n", ":2: terms.0: found is missing"),
        ("terms:\n- {term: x, found: w3, fixed: y}\n", "did you mean fix?"),
        ("terms:\n- {term: x, found: w3, verified: {run: w6, against: w5}}\n", "no fix is named"),
        ("terms:\n- {term: x, found: w3, fix: y, verified: {run: w6, against: ./w3}}\n", "found the error"),
        ("terms:\n- {term: x, found: w3, fix: y, verified: {run: w6, against: gone}}\n", "cannot be verified"),
        ("protocol: {version: 2}\nchangelog:\n- {version: 1, change: begun}\n", "add a line for it"),
        ("protocol: [\n", "not valid YAML"),
        ("terms:\n- {term: '', found: w3}\n", "is empty"),
    ],
)
def test_a_mistake_in_the_record_is_one_line(weeks: Path, text: str, why: str) -> None:
    Path("weeks/eyechart-history.yaml").write_text(text, encoding="utf-8")
    code, _, said = cli("weeks")
    assert code == 2
    assert why in said
    assert "eyechart-history.yaml" in said
    assert said.count("\n") == 1


def test_comments_of_the_record_are_kept(weeks: Path) -> None:
    path = Path("weeks/eyechart-history.yaml")
    path.write_text("# ours\nterms:\n- {term: other, found: w1}  # seen by eye\n", encoding="utf-8")
    assert cli("weeks", "--record", "term=refused", "--record", "found=weeks/w3")[0] == 0
    assert "# ours" in path.read_text(encoding="utf-8")
    assert "# seen by eye" in path.read_text(encoding="utf-8")
    record = read_record(path)
    assert record is not None
    assert [e.term for e in record.entries] == ["other", "refused"]


def test_every_face_says_the_same(weeks: Path) -> None:
    found = history(weeks)
    for name in ("h.html", "h.md", "h.json"):
        found.report(name)
    assert "the score moved 2 times" in Path("h.md").read_text(encoding="utf-8")
    assert "分数变动 2 次" in found.report("zh.md", language="zh").read_text(encoding="utf-8")
    assert "<svg" in Path("h.html").read_text(encoding="utf-8")
    assert "<svg" in found._repr_html_()
    code, out, said = cli("weeks")
    assert (code, said) == (0, "")
    assert "* a new level begins here" in out
    data = json.loads(cli("weeks", "--json")[1])
    assert [c["at"] for c in data["data"]["changes"]["changes"]] == [3, 6]
    assert data["data"]["moments"][0]["step"] is None


def test_looked_at_each_week_the_first_fall_is_told_in_time(weeks: Path) -> None:
    found = look(weeks, looks=20)
    assert isinstance(found.changes, Changes)
    assert found.changes.changes[0].at == 3
    assert found.changes.changes[0].raised in (3, 4, 5)
    with pytest.raises(InputError, match="looks already"):
        look(weeks, looks=2)


def test_one_run_is_too_short(weeks: Path) -> None:
    code, out, _ = cli("weeks/w0")
    assert code == 3
    assert "a history begins with the second" in out
    code, _, said = cli("nix")
    assert code == 2
    assert said.count("\n") == 1


def test_lost_runs_of_an_item_cost_no_more_than_they_must(made: Path) -> None:
    """A tenth and a fifth of the calls fail: an item keeps as many runs as it has at the time with the fewest."""
    shutil.copytree(made, ".", dirs_exist_ok=True)
    for day, failing in ((1, 0.1), (2, 0.2)):
        study = ec.loads(
            "dataset: {path: q.jsonl}\ndecoding: {temperature: 1}\nrepeats: {count: 3}\n"
            f"prices: {{prompt: 1, completion: 2}}\n"
            f"model: {{backend: synthetic, options: {{accuracy: 0.8, failing: {failing}}}}}\n{HELD}"
        )
        study.execute(f"lossy/{day}")
        finished_at(f"lossy/{day}", f"2020-01-0{day}T00:00:00+00:00")
    found = look("lossy")
    assert found.items > 100
    assert found.items + found.left_out == 120
    last = {term.name: term for term in found.moments[-1].terms}
    failed, noise = last["failed"], last["run_noise"]
    assert isinstance(failed.value, Estimate)
    assert failed.value.value == pytest.approx(0.2, abs=0.06)
    assert failed.moved == "grew"
    assert isinstance(noise.value, Estimate)
    assert noise.value.excluded > 0  # items with one run left say nothing of noise, and are counted
    assert found.spent.money is not None
    assert found.spent.money > 0
    assert found.spent.calls == sum(m.spent.calls or 0 for m in found.moments) < 720
