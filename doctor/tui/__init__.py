"""The app in the terminal: one more consumer of a run's events.

Everything outside ``app``, ``screens``, ``widgets``, ``commands``, ``messages`` and ``themes`` is
free of textual, so that it can be told apart from the drawing and tested without it.
"""
