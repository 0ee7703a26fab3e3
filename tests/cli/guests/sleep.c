/* SPDX-License-Identifier: Apache-2.0 */
int main(void)
{
    for (;;) {
        __asm__ volatile("wfi");
    }
}
