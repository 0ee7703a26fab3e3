/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps; the UART's receive interrupt wakes it, and it answers in upper case. Ends at a full stop. */
#include "virt.h"

static volatile bool over;
static volatile uint32_t interrupts;

uint32_t handle(uint32_t cause, uint32_t pc)
{
    if (cause != 0x8000000b) {
        finish(2);
    }
    uint32_t source = PLIC_CLAIM(0);
    if (source == 0) {
        return pc; /* QEMU takes a request back when its line falls */
    }
    if (source != SOURCE_UART) {
        finish(3);
    }
    interrupts = interrupts + 1;
    while ((UART(5) & 1) != 0) {
        char c = (char)UART(0);
        over |= c == '.';
        put(c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
    PLIC_CLAIM(0) = source;
    return pc;
}

int main(void)
{
    if (read_csr(mhartid) != 0) {
        return 0;
    }
    PLIC_PRIORITY(SOURCE_UART) = 7;
    PLIC_ENABLE(0) = 1u << SOURCE_UART;
    UART(1) = 1; /* last: QEMU looks at what is enabled when a line changes */
    set_csr(mie, MIE_MEIE);
    while (!over) {
        __asm__ volatile("wfi");
        set_csr(mstatus, MSTATUS_MIE);
        clear_csr(mstatus, MSTATUS_MIE);
    }
    finish(interrupts == 0);
}
