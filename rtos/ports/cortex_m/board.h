/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_CORTEX_M_BOARD_H
#define SB_CORTEX_M_BOARD_H

/** Clock and console of the board, before anything else.   Context: boot */
void sb_board_init(void);

#endif
