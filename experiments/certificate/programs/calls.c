/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and returns, direct and through pointers: Fibonacci by recursion, a small stack machine. */
#include "cert.h"

__attribute__((noinline)) static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t stack[16], depth;
static void push(uint32_t v)
{
    stack[depth++ & 15] = v;
}
static uint32_t pop(void)
{
    return stack[--depth & 15];
}
__attribute__((noinline)) static void op_push(void)
{
    push(depth + 5);
}
__attribute__((noinline)) static void op_add(void)
{
    push(pop() + pop());
}
__attribute__((noinline)) static void op_xor(void)
{
    push(pop() ^ pop());
}
__attribute__((noinline)) static void op_double(void)
{
    const uint32_t v = pop();
    push(v);
    push(v);
}
static void (*const operations[])(void) = {op_push, op_double, op_add, op_push, op_xor, op_double};

uint32_t cert_run(void)
{
    uint32_t seed = 5;
    CERT_MARK();
    uint32_t sum = fibonacci(13);
    for (uint32_t i = 0; i < 400; i++)
        operations[cert_random(&seed) % 8 % 6]();
    CERT_MARK();
    return sum + pop();
}
