/* SPDX-License-Identifier: Apache-2.0 */
/* The timed part of CoreMark lies between the two marks; its checksum is what CoreMark prints as `crcfinal`. */
#include <stdarg.h>

#include "cert.h"
#include "coremark.h"

volatile ee_s32 seed1_volatile = 0, seed2_volatile = 0, seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = 1, seed5_volatile = 0;
ee_u32 default_num_contexts = 1;
static uint32_t final;

int main(void);

void start_time(void)
{
    CERT_MARK();
}
void stop_time(void)
{
    CERT_MARK();
}
CORE_TICKS get_time(void)
{
    return 1;
}
secs_ret time_in_secs(CORE_TICKS ticks)
{
    return ticks;
}
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

int ee_printf(const char *format, ...)
{
    static const char wanted[] = "[%d]crcfinal";
    uint32_t i = 0;
    while (i + 1 < sizeof wanted && format[i] == wanted[i])
        i++;
    if (i + 1 == sizeof wanted) {
        va_list list;
        va_start(list, format);
        (void)va_arg(list, int);
        final = va_arg(list, unsigned);
        va_end(list);
    }
    return 0;
}

uint32_t cert_run(void)
{
    main();
    return final;
}
