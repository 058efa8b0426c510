"""A loopback pass-through for the API traffic of a program, and what it tells.

A listener stands for one origin (scheme, host, port). ``relay`` moves bytes and changes nothing but
the ``Host`` of a request; ``watching`` reads along, ``reading`` says what an exchange was,
``diagnosing`` what they mean together. ``steering`` leads a program's traffic to a listener.
"""
