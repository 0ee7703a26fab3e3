/* SPDX-License-Identifier: Apache-2.0 */
int main(void)
{
    __asm__ volatile(".4byte 0xffffffff");
    return 0;
}
