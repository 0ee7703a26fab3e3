/* SPDX-License-Identifier: Apache-2.0 */
/* Runs CoreMark for ever; its own checks of the results end the run with a failure. */
#include "coremark.h"

volatile ee_s32 seed1_volatile = 0;
volatile ee_s32 seed2_volatile = 0;
volatile ee_s32 seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = 10; /* iterations of each run */
volatile ee_s32 seed5_volatile = 0;
ee_u32 default_num_contexts = 1;

void portable_init(core_portable *p, int *argc, char *argv[])
{
    (void)argc;
    (void)argv;
    p->portable_id = 1;
}

void portable_fini(core_portable *p)
{
    p->portable_id = 0;
}

void start_time(void)
{
}

void stop_time(void)
{
}

CORE_TICKS get_time(void)
{
    return 0;
}

/* It refuses runs below ten seconds, and how long it takes is nothing that it has to know. */
secs_ret time_in_secs(CORE_TICKS ticks)
{
    (void)ticks;
    return 10;
}

/* Nobody reads what it prints, but that something is wrong. */
int ee_printf(const char *format, ...)
{
    for (const char *c = format; *c != '\0'; c++) {
        if (c[0] == 'E' && c[1] == 'R' && c[2] == 'R') {
            __builtin_trap();
        }
    }
    return 0;
}

void bench(ee_u32 core)
{
    (void)core;
    for (;;) {
        coremark();
    }
}
