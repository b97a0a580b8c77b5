from __future__ import annotations

import json
from pathlib import Path

import click

from eyechart.app.study import load
from eyechart.cli.output import Answer, answers
from eyechart.cli.plan import goal_data, goal_lines


@click.command("fingerprint")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a study file, for editors.")
@click.option("--flat", is_flag=True, help="Print the flat snapshot that others publish.")
@answers("fingerprint")
def command(file: Path | None, schema: bool, flat: bool) -> Answer:
    """Check FILE and print its digests: stated, then effective where the data can be read.

    The same evaluation, written in another order or with a default spelt out, has the same effective
    digest. What a goal (preset) fills in counts as written.
    """
    if schema:
        from eyechart.core.codec import schema as json_schema

        made = json_schema()
        return Answer(code="schema", text=json.dumps(made, indent=1), data=made)
    if file is None:
        raise click.UsageError("name a FILE, or give --schema")
    study = load(file)
    if flat:
        from eyechart.core.flat import to_flat

        snapshot = to_flat(study.spec.spec)
        return Answer(code="flat", text=json.dumps(snapshot, indent=1, ensure_ascii=False), data=snapshot)
    digests, inert = study.digests(), study.inert()
    lines = [*goal_lines(study.aim), *(f"inert: {i['path']}: {i['reason']}" for i in inert)]
    warnings = list(study.aim.warnings) if study.aim else []
    if digests["effective"] is None:
        warnings.append(f"no effective digest: {digests['reason']}")
    lines.append(f"stated    {digests['stated']}")
    if digests["effective"]:
        lines.append(f"effective {digests['effective']}")
    lines.append(str(digests["effective"] or digests["stated"]))
    kind = f"a study with {len(study.spec.factors)} factors" if study.spec.factors else "a fingerprint"
    return Answer(
        code="valid",
        text=f"{file} is {kind}.",
        data={**digests, "inert": inert, **goal_data(study.aim)},
        lines=lines,
        warnings=warnings,
    )
