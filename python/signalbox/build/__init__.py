# SPDX-License-Identifier: Apache-2.0
"""From system.toml to one ELF per node: resolve, generate, compile, check, describe."""
