"""Conformance: what a client module predicts is what the real program sends.

A test runs the real program in a throw-away home, against a loopback recorder, and compares the
request that arrives with ``doctor.clients.prediction.predict`` for the same files and variables.

How to add a client
1. Pin it: ``tests/live/clients/NAME/package.json`` (npm: exact versions under ``dependencies``)
   or ``tests/live/clients/NAME/requirements.txt`` (PyPI: ``name==version`` lines; a virtual
   environment of its own). ``python tests/live/setup_servers.py`` installs every folder there,
   ``python tests/live/setup_servers.py --clients NAME …`` only those named, into
   ``$KVDOCTOR_LIVE_CACHE/clients/NAME`` (``node_modules/`` or ``env/``), and only if missing or
   changed. A client that cannot be installed is listed as known "from documentation" and its
   tests skip.
2. Write ``tests/live/conformance/test_NAME.py``::

       PROGRAM = Program("codex", ("node_modules/.bin/codex",), variables={"RUST_LOG": "off"})

       CASES = [
           Case(
               "key-from-variable",
               files={"~/.codex/config.toml": 'base_url = "{base}/v1" …'},
               variables={"TAOTOKEN_API_KEY": "sk-made-up-000000000000000000"},
               argv=("exec", "--skip-git-repo-check", "hi"),
           ),
       ]

       @pytest.mark.parametrize("case", CASES, ids=str)
       def test_codex_sends_what_is_predicted(case: Case, lab: Lab) -> None:
           lab.agree(PROGRAM, case)

   Run it with ``KVDOCTOR_LIVE=1 pytest -x -q tests/live/conformance/test_NAME.py``.

What a case may say (``case.Case``): ``files`` with paths "~/…" (home), "./…" (working folder) or
"/etc/…" (laid over the system's for this program alone; skips where that is not allowed), text or,
for JSON, a dict; ``variables``; ``argv``; what the recorded request must have beside the
prediction (``expects_headers``, for a login's token that no prediction holds, ``expects_url``);
``awaited``, which of the recorded requests is meant (by default the first that asks a model);
``no_request`` for a case in which the program itself refuses.

Everywhere in files, variables and argv these stand for what differs from run to run:
    {base}   http://127.0.0.1:PORT of the recorder, without a path; {port} is its PORT
    {proxy}  http://127.0.0.1:PORT of the recording forward proxy
    {dead}   http://127.0.0.1:PORT that refuses connections
    {far}    http://gateway.invalid, a host that only the proxy reaches
    {home}, {cwd}   the folders of the case

The program is ended as soon as the awaited request was recorded (``Program.finish`` lets it end by
itself instead). The environment holds PATH, HOME, a few neutral variables, ``Program.variables``
and the case's own, nothing else. ``lab.run`` gives the recorded requests without comparing.
"""
