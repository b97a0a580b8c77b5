"""From an analysis to what people see: sections make blocks, media draw blocks.

    ReportInput ──sections──▶ Blocks ──▶ html.render_html      one self-contained page
                                     ├─▶ notebook.fragment     score, heat map and curves for a notebook
                                     ├─▶ markdown.render_markdown, markdown.model_card
                                     ├─▶ terminal.render_terminal, terminal.view
                                     └─▶ plain.render_json     stable keys, for programs

A section (`sections/`) is one function and one line; it returns plain data (`blocks`) and never sees
HTML. A medium never sees an `Analysis`. Words come from one catalogue in two languages (`messages/`);
what a model or file wrote is shown as it is, made visible and inert by `text`.
"""
