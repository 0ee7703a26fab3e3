# SPDX-License-Identifier: Apache-2.0
"""One module per verb of the command line: options in, a call into the package, data out."""
