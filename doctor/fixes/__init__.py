"""Fixes: changes made lasting. Steps as data, their preview, applying, verifying, taking back.

    Diagnosis → plan → Fix with steps → prepare (edits in memory, diff) → apply (journal, write)
                                                                            ↓
                                                        verify by the same request, undo

``steps`` are the data, ``editors`` change the text of one file format each, ``startup`` finds the
shell start-up file that exports a variable, ``plan`` makes fixes of changes. ``prepare`` reads and
edits without writing; ``apply`` writes what was prepared and nothing else, after ``journal`` has
kept the old bytes; ``undo`` puts them back.
"""
