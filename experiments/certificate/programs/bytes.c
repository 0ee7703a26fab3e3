/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of bytes and halfwords, signed and unsigned: text to upper case, a checksum of halfwords. */
#include "cert.h"

static uint8_t text[512];
static int16_t samples[256];

uint32_t cert_run(void)
{
    uint32_t seed = 3, sum = 0;
    CERT_MARK();
    for (uint32_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(cert_random(&seed) >> 8);
    for (uint32_t i = 0; i < sizeof text; i++)
        if (text[i] >= 'a' && text[i] <= 'z')
            text[i] = (uint8_t)(text[i] - 32);
    for (uint32_t i = 0; i < 256; i++)
        samples[i] = (int16_t)(text[2 * i] << 8 | text[2 * i + 1]);
    int32_t level = 0;
    for (uint32_t i = 0; i < 256; i++) {
        level += samples[i];
        sum += (uint8_t)level + (uint32_t)(int8_t)text[i];
    }
    CERT_MARK();
    return sum ^ (uint32_t)level;
}
