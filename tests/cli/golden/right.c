/* SPDX-License-Identifier: Apache-2.0 */
/* Named by system.toml; the test of the templates compiles nothing. */
