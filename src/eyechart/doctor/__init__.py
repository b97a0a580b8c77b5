"""Symptoms and runs in, ranked causes out: one small rule a cause.

- `case` what is looked at: one evaluation or two, with what was asked, answered and recorded
- `causes_*` the rules, by where the fault lies; `fields` names what two evaluations differ in
- `claims` which usual denominator gives a number that somebody claims
- `rank` the rules over a case: tested ones corrected together, the heaviest evidence first
- `symptoms` words to causes, where nothing was measured
"""
