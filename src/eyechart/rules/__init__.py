"""Operating rules as data: what is known of an evaluation in, findings out.

    Known ──apply(sets)──▶ Ruled (kept | broken | unknown, with evidence, reason, remedy)
      └────ask───────────▶ Question (what nobody said, for the authors of a number)

A rule never looks at a file: `app/rules` gathers what is known of a run, a log, a study or a snapshot. What cannot be
told is `unknown`, never `kept`; a rule about what was not used (a judge, shots) is kept with that reason, or left out.
"""
