/* SPDX-License-Identifier: Apache-2.0 */
#include "../../board.h"

#include "../../registers.h"
#include "platform.h"

#define UART_CTRL SB_REGISTER(SB_UART_BASE(0) + 8u)
#define UART_BAUDDIV SB_REGISTER(SB_UART_BASE(0) + 16u)
#define CTRL_TRANSMIT_RECEIVE 3u

void sb_board_init(void)
{
    UART_BAUDDIV = SB_UART_DIVISOR;
    UART_CTRL = CTRL_TRANSMIT_RECEIVE;
}
