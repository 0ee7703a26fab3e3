/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

SB_COLD void sb_report(enum sb_err err, const char *label)
{
    void (*error)(enum sb_err, const char *) = port_node()->hooks.error;
    if (SB_HOOKED && error != NULL) {
        error(err, label);
    }
}

SB_COLD _Noreturn void sb_fatal(enum sb_err err, const char *label)
{
    if (SB_CFG_ISOLATED) {
        sb_isolation_violation(err, label); /* comes back if nobody in a domain is to blame */
    }
    (void)port_lock(); /* for good */
    sb_report(err, label);
    port_fatal(label);
}

SB_COLD void sb_violation(enum sb_err err, const char *label)
{
    sb_check(false, err, label);
    sb_report(err, label);
}
