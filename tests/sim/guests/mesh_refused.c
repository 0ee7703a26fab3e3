// SPDX-License-Identifier: Apache-2.0
// A header that leads to no router: the interface refuses it, which is a bus error.

#include "tile.h"

void tile_main(void)
{
    NI->head = 0x0400;
    pass();
}
