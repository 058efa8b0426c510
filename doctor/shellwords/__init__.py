"""Texts in the language of a POSIX shell, taken apart and never run.

``pieces`` reads what a word is made of, ``words`` joins them, ``tokens`` tells words from
operators, comments and redirections, ``commands`` follows the grammar. Everything has its place in
the text. No text makes any of them raise: what does not end reaches to the end of the text, and is
told as a ``Fault``.
"""
