"""Finds, in source files and templates, what will make a system prompt differ each time.

``python_source`` reads Python with its own parser, ``scripts`` JavaScript and TypeScript by their
template literals, ``templates`` the placeholders of prompt templates.
"""
