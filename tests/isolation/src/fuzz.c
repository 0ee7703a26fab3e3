/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with random numbers and arguments, some of them nearly right. */
#include "messages.h"

#include "config.h"
#include "signalbox/task.h"
#include "signalbox/user_calls.h"

static uint32_t state;
static uint32_t words[64];
static union sb_signal *held;

static uint32_t next(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/** A number of every size, a pointer to memory of every owner, an address of a task. */
static uint32_t argument(void)
{
    const uint32_t dice = next();
    switch (dice % 12u) {
    case 0:
        return 0;
    case 1:
        return dice >> 8;
    case 2:
        return next();
    case 3:
        return (uint32_t)(uintptr_t)&words[next() % 64u];
    case 4:
        return (uint32_t)(uintptr_t)&held;
    case 5:
        return (uint32_t)(uintptr_t)held;
    case 6:
        return 0x80000000u + (next() & 0x7fffffu);
    case 7:
        return 0xffffffffu - (dice >> 28);
    case 8:
        return next() % 64u;
    case 9:
        return sb_addr_make(0, next() % 8u, 1u + next() % 4u);
    case 10:
        return (uint32_t)(uintptr_t) "partner";
    default:
        return (uint32_t)(uintptr_t)words + (next() % 300u);
    }
}

#define ONE(name, function) +1u
enum { CALLS = 0u SB_USER_CALLS(ONE) };

static uint32_t call(uint32_t number)
{
    const uint32_t given[5] = {argument(), argument(), argument(), argument(), argument()};
    register uint32_t a0 __asm__("a0") = given[0];
    register uint32_t a1 __asm__("a1") = given[1];
    register uint32_t a2 __asm__("a2") = given[2];
    register uint32_t a3 __asm__("a3") = given[3];
    register uint32_t a4 __asm__("a4") = given[4];
    register uint32_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a7)::"memory");
    return a0;
}

/** One job: `value` calls from the seed in `address`. Most lives end before that. */
void fuzzer(void)
{
    const uint32_t jobs[] = {1, SIG_JOB};
    union sb_signal *sig = sb_receive(jobs);
    state = sig->job.address | 1u;
    uint32_t left = sig->job.value;
    sb_free(&sig);
    held = sb_alloc_nil(32, 5);
    while (left-- != 0) {
        const uint32_t answer = call(1u + next() % (CALLS + 1u)); /* one that does not exist, too */
        if (answer >= 0x80000000u && answer < 0x88000000u && (answer & 7u) == 0) {
            held = (union sb_signal *)(uintptr_t)answer;
        }
        words[next() % 64u] = next();
    }
}
