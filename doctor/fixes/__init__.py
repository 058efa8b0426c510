"""Fixes: changes made lasting. Steps as data, their preview, applying, verifying, taking back.

    Diagnosis → proposal → Fix with steps → prepare (edits in memory) → diff → apply → verify
                                                                                  ↓
                                                                          journal → undo

``steps`` is the data, ``editors`` change the text of one file format each, ``scan`` reads start-up
files, ``startup`` finds the one that exports a variable. ``proposal`` makes fixes of changes, with
``settings``, ``proxy`` and ``variables`` for what each touches. ``prepare`` reads and edits without
writing; ``apply`` writes what was prepared and nothing else, once ``journal`` has kept the old
bytes; ``undo`` puts them back. ``choice`` picks from a report.

A front end calls, in this order: ``choice.offers(report)``; ``choice.prepared(offers)``;
``diff.diff(change)`` for each of its files; ``apply.apply(...)``; ``verify.verify(...)``; and
``undo.preview`` and ``undo.undo`` with an entry of ``Journal.entries()``. Every refusal is a
``RefusedEdit`` with the place and the reason.
"""
