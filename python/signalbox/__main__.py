# SPDX-License-Identifier: Apache-2.0
"""Entry point of the command line."""

from signalbox.cli import main

if __name__ == "__main__":
    main()
