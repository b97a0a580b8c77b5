"""A whole run against a server that fails in every way: nothing is lost, nothing is counted wrong."""

from __future__ import annotations

from pathlib import Path

import eyechart as ec
from eyechart.app.run import run
from eyechart.runner.fulfil import Policy
from eyechart.store.store import Store

FAULTS = (
    "429:0.1", "429-date:1", "500", "503-html", "sleep:3", "reset", "reset-mid", "truncated", "content-type",
    "empty-choices", "no-choices", "html", "endless", "not-object", "utf8", "error-200",
)  # fmt: skip


def study(url: str) -> ec.Study:
    return ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 48, seed: 3}\n"
        f"model: {{backend: openai, name: m, url: '{url}', options: {{timeout: 1.0, concurrency: 8}}}}\n"
        "prompt: {template: '{{question}}', cue: ' A:'}\n"
        "evaluation: {extraction: lenient}\n"
    )


def test_passing_faults_leave_no_trace_in_the_score(fault_server):
    one = study(fault_server.url)
    fault_server.answer = lambda seen: " positive"
    prompts = [row[0].call.request.prompt for row in one.grid.asks[0].planned]
    for i, prompt in enumerate(prompts):
        fault_server.for_prompt(prompt, FAULTS[i % len(FAULTS)], "ok")
    ran = run(one.grid, one.text, one.folder("run"), policy=Policy(backoff=0.05))
    # Some faults are final by nature (a page instead of an answer); the next run asks those again.
    assert ran.made + ran.failed == 48
    assert ran.made >= 30
    assert all(count > 0 and reason for reason, count in ran.reasons.items())
    again = run(one.grid, one.text, one.folder("run"), policy=Policy(backoff=0.05))
    assert again.plan.stored == ran.made
    assert (again.made, again.failed, again.missing) == (ran.failed, 0, 0)
    (score,) = ec.open("run").scores()
    share = sum(item.gold == ("positive",) for item in one.grid.asks[0].items) / 48
    assert score.runs == (share,)
    assert set(score.outcomes) == {"correct", "incorrect"}
    with Store(Path("run/store.sqlite")) as store:
        assert store.verify() == []
        assert store.counts().responses == 48


def test_lasting_faults_are_counted_beside_the_score(fault_server):
    one = study(fault_server.url)
    fault_server.answer = lambda seen: " positive"
    prompts = [row[0].call.request.prompt for row in one.grid.asks[0].planned]
    for prompt in prompts[:10]:
        fault_server.for_prompt(prompt, *["500"] * 3)
    ran = run(one.grid, one.text, one.folder("run"), policy=Policy(attempts=3, backoff=0.01))
    assert (ran.made, ran.failed, ran.retries) == (38, 10, 20)
    (score,) = ec.open("run").scores()
    assert score.outcomes["failed"] == 10
    assert score.items == 38
    assert sum(n for outcome, n in score.outcomes.items() if outcome != "failed") == 38
