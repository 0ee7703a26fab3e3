/* SPDX-License-Identifier: Apache-2.0 */
/* Integer code as embedded programs have it: linked lists, matrices, a state machine over text, CRC. Each part feeds the CRC, so
 * that nothing can be left out, and the first round's CRC is compared with the following ones. */
#include <stddef.h>
#include <stdint.h>

#include "signalbox/port.h"

#define ITEMS 64u
#define SIDE 12u

struct item {
    struct item *next;
    int16_t key;
    uint16_t value;
};

static struct item items[ITEMS];
static int16_t a[SIDE][SIDE], b[SIDE][SIDE];
static int32_t product[SIDE][SIDE];
static const char text[] =
    "5012,1.874e3,-0x1f,+7,1.5,,e,12e-3,0xbeef,9.,-,77777,3.14159,0x,42,1e9,.5,-12.25e+1";

static uint16_t crc16(uint16_t crc, uint32_t data)
{
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t carry = (crc ^ data) & 1u;
        crc >>= 1;
        data >>= 1;
        if (carry != 0) {
            crc ^= 0xa001u;
        }
    }
    return crc;
}

/* ---- lists: build, find, reverse, sort by merging */

static struct item *list_build(uint32_t seed)
{
    struct item *head = NULL;
    for (uint32_t i = 0; i < ITEMS; i++) {
        seed = seed * 1103515245u + 12345u;
        items[i].key = (int16_t)(seed >> 16);
        items[i].value = (uint16_t)i;
        items[i].next = head;
        head = &items[i];
    }
    return head;
}

static struct item *list_reverse(struct item *head)
{
    struct item *done = NULL;
    while (head != NULL) {
        struct item *next = head->next;
        head->next = done;
        done = head;
        head = next;
    }
    return done;
}

static const struct item *list_find(const struct item *head, uint16_t value)
{
    while (head != NULL && head->value != value) {
        head = head->next;
    }
    return head;
}

static struct item *list_merge(struct item *left, struct item *right)
{
    struct item *head = NULL;
    struct item **tail = &head;
    while (left != NULL && right != NULL) {
        struct item **smaller = left->key <= right->key ? &left : &right;
        *tail = *smaller;
        tail = &(*smaller)->next;
        *smaller = (*smaller)->next;
    }
    *tail = left != NULL ? left : right;
    return head;
}

/* Depth is the logarithm of the length. */
static struct item *list_sort(struct item *head, uint32_t length)
{
    if (length < 2) {
        if (head != NULL) {
            head->next = NULL;
        }
        return head;
    }
    struct item *right = head;
    for (uint32_t i = 0; i < length / 2; i++) {
        right = right->next;
    }
    struct item *sorted_right = list_sort(right, length - length / 2);
    return list_merge(list_sort(head, length / 2), sorted_right);
}

static uint16_t lists(uint16_t crc, uint32_t seed)
{
    struct item *head = list_reverse(list_build(seed));
    for (uint16_t value = 0; value < ITEMS; value += 7) {
        const struct item *found = list_find(head, value);
        crc = crc16(crc, found != NULL ? (uint16_t)found->key : 0u);
    }
    for (const struct item *i = list_sort(head, ITEMS); i != NULL; i = i->next) {
        crc = crc16(crc, i->value);
    }
    return crc;
}

/* ---- matrices: add a constant, multiply, sum what is above a threshold */

static uint16_t matrices(uint16_t crc, uint32_t seed)
{
    for (uint32_t row = 0; row < SIDE; row++) {
        for (uint32_t column = 0; column < SIDE; column++) {
            seed = seed * 1103515245u + 12345u;
            a[row][column] = (int16_t)(seed >> 18);
            b[row][column] = (int16_t)((seed >> 20) + row);
        }
    }
    int32_t sum = 0;
    for (uint32_t row = 0; row < SIDE; row++) {
        for (uint32_t column = 0; column < SIDE; column++) {
            int32_t element = 0;
            for (uint32_t i = 0; i < SIDE; i++) {
                element += a[row][i] * b[i][column];
            }
            product[row][column] = element;
            sum += element > 4000000 ? 10 : element >> 8;
        }
    }
    return crc16(crc16(crc, (uint32_t)sum), (uint32_t)sum >> 16);
}

/* ---- state machine: which fields of a text are numbers, and of what kind */

enum state {
    START,
    SIGN,
    DIGITS,
    POINT,
    FRACTION,
    EXPONENT,
    EXPONENT_SIGN,
    EXPONENT_DIGITS,
    ZERO,
    HEX_MARK,
    HEX,
    INVALID,
    STATES
};

static enum state advance(enum state state, char c)
{
    int digit = c >= '0' && c <= '9';
    switch (state) {
    case START:
        return c == '+' || c == '-' ? SIGN : c == '0' ? ZERO : digit ? DIGITS : c == '.' ? POINT : INVALID;
    case SIGN:
        return c == '0' ? ZERO : digit ? DIGITS : c == '.' ? POINT : INVALID;
    case ZERO:
        return c == 'x' ? HEX_MARK : digit ? DIGITS : c == '.' ? FRACTION : c == 'e' ? EXPONENT : INVALID;
    case DIGITS:
        return digit ? DIGITS : c == '.' ? FRACTION : c == 'e' ? EXPONENT : INVALID;
    case POINT:
        return digit ? FRACTION : INVALID;
    case FRACTION:
        return digit ? FRACTION : c == 'e' ? EXPONENT : INVALID;
    case EXPONENT:
        return digit ? EXPONENT_DIGITS : c == '+' || c == '-' ? EXPONENT_SIGN : INVALID;
    case EXPONENT_SIGN:
    case EXPONENT_DIGITS:
        return digit ? EXPONENT_DIGITS : INVALID;
    case HEX_MARK:
    case HEX:
        return digit || (c >= 'a' && c <= 'f') ? HEX : INVALID;
    default:
        return INVALID;
    }
}

static uint16_t machine(uint16_t crc, uint32_t seed)
{
    uint32_t ends[STATES] = {0};
    enum state state = START;
    for (uint32_t i = 0; i < sizeof text; i++) {
        /* Some fields are damaged, others in each round. */
        char c = (i + seed) % 23u == 0 && text[i] != ',' ? 'z' : text[i];
        if (c == ',' || c == '\0') {
            ends[state]++;
            state = START;
        } else {
            state = advance(state, c);
        }
    }
    for (uint32_t i = 0; i < STATES; i++) {
        crc = crc16(crc, ends[i]);
    }
    return crc;
}

static uint16_t one_round(void)
{
    uint16_t crc = 0xffffu;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        crc = lists(crc, seed);
        crc = matrices(crc, seed);
        crc = machine(crc, seed);
    }
    return crc;
}

void integer(void)
{
    uint16_t expected = one_round();
    while (one_round() == expected) {
    }
    port_finish(1);
}
