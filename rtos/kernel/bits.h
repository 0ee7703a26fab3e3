/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_BITS_H
#define SB_KERNEL_BITS_H
#include <stdint.h>

/** Number of the lowest bit of `word`, which is not 0. The base instruction set has no such instruction and
 *  the compiler's function is slower than one multiplication: the product's top five bits differ for each
 *  single bit (a de Bruijn sequence). */
static inline uint32_t sb_lowest_bit(uint32_t word)
{
    static const uint8_t position[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                         31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};
    return position[((word & (0u - word)) * 0x077cb531u) >> 27];
}

#endif
