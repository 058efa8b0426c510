"""``python -m doctor`` is the command ``kvdoctor``."""

import sys

from doctor.cli import main

sys.exit(main())
