/* SPDX-License-Identifier: Apache-2.0 */
/* The architecture tests on QEMU's virt machine: a test ends by writing its signature to the serial port, one word in hexadecimal a
 * line, and then through the finisher. */
#ifndef MODEL_TEST_H
#define MODEL_TEST_H

#define RVMODEL_BOOT

/* clang-format off: assembly */
#define RVMODEL_HALT                             \
    la x10, rvtest_sig_begin;                    \
    la x11, rvtest_sig_end;                      \
    li x12, 0x10000000;                          \
    91:;                                         \
    bgeu x10, x11, 95f;                          \
    lw x13, 0(x10);                              \
    li x14, 28;                                  \
    92:;                                         \
    srl x15, x13, x14;                           \
    andi x15, x15, 15;                           \
    addi x9, x15, -10;                           \
    bltz x9, 93f;                                \
    addi x15, x15, 39; /* from '9' + 1 to 'a' */ \
    93:;                                         \
    addi x15, x15, 48;                           \
    sb x15, 0(x12);                              \
    addi x14, x14, -4;                           \
    bgez x14, 92b;                               \
    li x15, 10;                                  \
    sb x15, 0(x12);                              \
    addi x10, x10, 4;                            \
    j 91b;                                       \
    95:;                                         \
    li x10, 0x100000;                            \
    li x11, 0x5555;                              \
    sw x11, 0(x10);                              \
    96:;                                         \
    j 96b;

#define RVMODEL_DATA_BEGIN .align 4;
#define RVMODEL_DATA_END .align 4;

#define RVMODEL_IO_INIT
#define RVMODEL_IO_WRITE_STR(_R, _STR)
#define RVMODEL_IO_CHECK()
#define RVMODEL_IO_ASSERT_GPR_EQ(_S, _R, _I)
#define RVMODEL_IO_ASSERT_SFPR_EQ(_F, _R, _I)
#define RVMODEL_IO_ASSERT_DFPR_EQ(_D, _R, _I)
#define RVMODEL_SET_MSW_INT
#define RVMODEL_CLEAR_MSW_INT
#define RVMODEL_CLEAR_MTIMER_INT
#define RVMODEL_CLEAR_MEXT_INT

#endif
