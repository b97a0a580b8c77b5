"""Many runs and logs looked at together: what does not fit, with evidence.

`evidence` is what a rule sees: plain values, never a file. A rule looks at one dossier (a run folder, a log, a
table) or at all of them, and gives findings. Words are keys of the catalogue: `audit.<id>` is what should be so,
`audit.<id>.said` what was seen, `audit.<id>.do` what would settle it.
"""
