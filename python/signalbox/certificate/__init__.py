# SPDX-License-Identifier: Apache-2.0
"""The certificate: cycles of the model against cycles of the RTL of open cores, program by program."""
