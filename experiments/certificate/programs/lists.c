/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of loads, each the address of the next: a linked list is built, reversed, walked and merged. */
#include <stddef.h>

#include "cert.h"

struct node {
    struct node *next;
    uint32_t key;
};
static struct node nodes[128];

uint32_t cert_run(void)
{
    uint32_t seed = 31, sum = 0;
    CERT_MARK();
    struct node *head = NULL;
    for (uint32_t i = 0; i < 128; i++) {
        nodes[i].key = cert_random(&seed) & 1023;
        struct node **at = &head;
        while (*at != NULL && (*at)->key < nodes[i].key)
            at = &(*at)->next;
        nodes[i].next = *at;
        *at = &nodes[i];
    }
    struct node *reversed = NULL;
    while (head != NULL) {
        struct node *const n = head;
        head = n->next;
        n->next = reversed;
        reversed = n;
    }
    for (const struct node *n = reversed; n != NULL; n = n->next)
        sum = sum * 2 + n->key;
    CERT_MARK();
    return sum;
}
