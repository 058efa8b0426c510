"""``python -m doctor`` is the command ``kvdoctor``."""

from doctor.cli import run

run()
