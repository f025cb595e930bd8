"""`python -m metatrace`: the same as the `metatrace` command."""

import sys

from metatrace.cli.main import main

sys.exit(main())
