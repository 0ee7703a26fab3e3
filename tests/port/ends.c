/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  How a node ends. END: 0 well, 1 with a code, 2 fatal, 3 by an exception, 4 fatal in an interrupt. */
#include "suite.h"

static void fatal_inside(void)
{
    port_fatal("fatal-in-interrupt");
}

void test_main(void)
{
    switch (END) {
    case 0:
        port_finish(0);
    case 1:
        port_finish(7);
    case 2:
        port_fatal("fatal-in-task");
    case 3:
        TEST_EXCEPTION();
        break;
    default:
        port_irq_connect(TEST_LINE, fatal_inside);
        test_line_raise();
        test_linger();
        break;
    }
    port_finish(99);
}
