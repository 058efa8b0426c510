"""Where the prompts of a request log stop being shareable, why, and what it costs.

A log is read once, line by line, in memory that does not grow with it (``stream``). ``prompts``
makes of each request the text that an engine would see; ``lineage`` finds in it what changes from
request to request (``spots``, ``kinds``, ``history``); ``cache`` plays the text as sent, and the
text with the changing parts moved to the end, through the engine's prefix cache, in ``blocks``.
``analyse`` joins all that, ``causes`` adds it up: one entry per cause, with its price.
"""
