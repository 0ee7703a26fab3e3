/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The copy that all links use: words if both sides allow it, else bytes. It is our own, and always optimised,
 *  so that its cycles depend neither on the C library nor on how the layers around it are compiled: in the
 *  published system the copy came out of a library too while everything around it was compiled -O0.
 *
 *  Each word is stored before the next is loaded, as the library's loop did. So two buffers that share cache
 *  lines evict each other word by word (osek-linx 3.2.5, 4.2.1.2); loading a line first would hide that. */
#include "signalbox/link.h"

__attribute__((optimize("O2", "no-tree-loop-distribute-patterns"))) void
sb_link_copy(void *to, const void *from, uint32_t size_bytes)
{
    uint8_t *to_byte = to;
    const uint8_t *from_byte = from;

    if ((((uintptr_t)to | (uintptr_t)from) & 3u) == 0) {
        /* may_alias: the bytes are of any type; it also keeps loads behind earlier stores. */
        typedef uint32_t __attribute__((may_alias)) word;
        word *to_word = to;
        const word *from_word = from;
        for (; size_bytes >= 16u; size_bytes -= 16u) {
            to_word[0] = from_word[0];
            to_word[1] = from_word[1];
            to_word[2] = from_word[2];
            to_word[3] = from_word[3];
            to_word += 4;
            from_word += 4;
        }
        for (; size_bytes >= 4u; size_bytes -= 4u) {
            *to_word++ = *from_word++;
        }
        to_byte = (uint8_t *)to_word;
        from_byte = (const uint8_t *)from_word;
    }
    for (; size_bytes != 0; size_bytes--) {
        *to_byte++ = *from_byte++;
    }
}
