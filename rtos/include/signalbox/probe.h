/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_PROBE_H
#define SIGNALBOX_PROBE_H
/** @file
 *  Probes: SB_PROBE(name, args...) marks a point in C and emits no instruction. It records, in the section
 *  `.sb_probes` that is not loaded, the address of the instruction that follows, the probe's number, and where
 *  its operands are then (register, stack slot or constant). Names, numbers and arguments:
 *  sim/trace/schema.toml.
 *
 *  Operands are locals, parameters or constants, never globals or fields: copy those into a local first.
 *
 *  The address must be reached through the probe's own path only. Where two paths join right behind the probe
 *  (before a common return, at a loop's end) the build fails; use SB_PROBE_NOP there: one nop, the same in
 *  every run. */
#include "signalbox/probe_ids.h"

#define SB_PROBE(...)                                                                                     \
    SB_PROBE_PICK(__VA_ARGS__, SB_PROBE_5, SB_PROBE_4, SB_PROBE_3, SB_PROBE_2, SB_PROBE_1, SB_PROBE_0, 0) \
    ("", __VA_ARGS__)
#define SB_PROBE_NOP(...)                                                                                 \
    SB_PROBE_PICK(__VA_ARGS__, SB_PROBE_5, SB_PROBE_4, SB_PROBE_3, SB_PROBE_2, SB_PROBE_1, SB_PROBE_0, 0) \
    ("nop\n", __VA_ARGS__)

#define SB_PROBE_PICK(name, a, b, c, d, e, pick, ...) pick

#if defined(__riscv)

#if defined(__OPTIMIZE__)
#define SB_PROBE_OPERAND(x) "nr"(x)
#else
#define SB_PROBE_OPERAND(x) "nrm"(x)
#endif
#define SB_PROBE_TEXT(nop, count, operands)                                                             \
    "990:\n" nop ".pushsection .debug_sb_probes,\"\",@progbits\n.4byte 990b\n.2byte %c0\n.2byte " count \
    "\n" operands ".balign 4\n.popsection"

#define SB_PROBE_0(nop, name) \
    __asm__ __volatile__ __inline__(SB_PROBE_TEXT(nop, "0", "")::"i"(SB_PROBE_ID_##name))
#define SB_PROBE_1(nop, name, a)                                                                         \
    __asm__ __volatile__ __inline__(SB_PROBE_TEXT(nop, "1", ".asciz \"%1\"\n")::"i"(SB_PROBE_ID_##name), \
                                    SB_PROBE_OPERAND(a))
#define SB_PROBE_2(nop, name, a, b)                                                         \
    __asm__ __volatile__ __inline__(                                                        \
        SB_PROBE_TEXT(nop, "2", ".asciz \"%1\"\n.asciz \"%2\"\n")::"i"(SB_PROBE_ID_##name), \
        SB_PROBE_OPERAND(a), SB_PROBE_OPERAND(b))
#define SB_PROBE_3(nop, name, a, b, c)                                                                     \
    __asm__ __volatile__ __inline__(                                                                       \
        SB_PROBE_TEXT(nop, "3", ".asciz \"%1\"\n.asciz \"%2\"\n.asciz \"%3\"\n")::"i"(SB_PROBE_ID_##name), \
        SB_PROBE_OPERAND(a), SB_PROBE_OPERAND(b), SB_PROBE_OPERAND(c))
#define SB_PROBE_4(nop, name, a, b, c, d)                                                             \
    __asm__ __volatile__ __inline__(                                                                  \
        SB_PROBE_TEXT(nop, "4", ".asciz \"%1\"\n.asciz \"%2\"\n.asciz \"%3\"\n.asciz \"%4\"\n")::"i"( \
            SB_PROBE_ID_##name),                                                                      \
        SB_PROBE_OPERAND(a), SB_PROBE_OPERAND(b), SB_PROBE_OPERAND(c), SB_PROBE_OPERAND(d))
#define SB_PROBE_5(nop, name, a, b, c, d, e)                                                           \
    __asm__ __volatile__ __inline__(                                                                   \
        SB_PROBE_TEXT(nop, "5",                                                                        \
                      ".asciz \"%1\"\n.asciz \"%2\"\n.asciz \"%3\"\n.asciz \"%4\"\n.asciz \"%5\"\n"):: \
            "i"(SB_PROBE_ID_##name),                                                                   \
        SB_PROBE_OPERAND(a), SB_PROBE_OPERAND(b), SB_PROBE_OPERAND(c), SB_PROBE_OPERAND(d),            \
        SB_PROBE_OPERAND(e))

#else

#define SB_PROBE_0(nop, name) ((void)SB_PROBE_ID_##name)
#define SB_PROBE_1(nop, name, a) (SB_PROBE_0(nop, name), (void)(a))
#define SB_PROBE_2(nop, name, a, b) (SB_PROBE_1(nop, name, a), (void)(b))
#define SB_PROBE_3(nop, name, a, b, c) (SB_PROBE_2(nop, name, a, b), (void)(c))
#define SB_PROBE_4(nop, name, a, b, c, d) (SB_PROBE_3(nop, name, a, b, c), (void)(d))
#define SB_PROBE_5(nop, name, a, b, c, d, e) (SB_PROBE_4(nop, name, a, b, c, d), (void)(e))

#endif
#endif
