/* SPDX-License-Identifier: Apache-2.0 */
#include "coremark.h"
#include "virt.h"
#include <stdarg.h>

volatile ee_s32 seed1_volatile = 0;
volatile ee_s32 seed2_volatile = 0;
volatile ee_s32 seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = ITERATIONS;
volatile ee_s32 seed5_volatile = 0;
ee_u32 default_num_contexts = 1;

static CORE_TICKS began, ended;

void start_time(void)
{
    began = read_csr(mcycle);
}

void stop_time(void)
{
    ended = read_csr(mcycle);
}

CORE_TICKS get_time(void)
{
    return ended - began;
}

secs_ret time_in_secs(CORE_TICKS ticks)
{
    return ticks / 100000000;
}

void portable_init(core_portable *p, int *argc, char *argv[])
{
    (void)argc;
    (void)argv;
    p->portable_id = 1;
}

void portable_fini(core_portable *p)
{
    finish(p->portable_id != 1);
}

uint32_t handle(uint32_t cause, uint32_t pc)
{
    (void)pc;
    finish(cause & 0xff);
}

/* The conversions that CoreMark uses: d, u, x, s, with l and a width of four after a zero. */
int ee_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            put(*format);
            continue;
        }
        do {
            format++;
        } while (*format == '0' || *format == '4' || *format == 'l');
        if (*format == 's') {
            say(va_arg(arguments, const char *));
        } else if (*format == 'x') {
            say_hex(va_arg(arguments, uint32_t));
        } else {
            say_number(va_arg(arguments, uint32_t));
        }
    }
    va_end(arguments);
    return 0;
}
