// SPDX-License-Identifier: Apache-2.0
// Runs one program on the RTL of a core and prints what was seen as one line of JSON.
//
//   bench --seed N --limit CYCLES --mark ADDR --result ADDR +image=FILE
//
// Cycles count rising edges since the release of reset. The program marks instants by storing to the address of `--mark`, leaves its
// result at that of `--result`, writes characters to the console, and ends by a store to the finisher.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "Vtop.h"
#include "verilated.h"

namespace {
constexpr uint32_t FINISHER = 0x00100000, CONSOLE = 0x10000000;
constexpr uint32_t PASS = 0x5555;
constexpr int RESET_CYCLES = 8;

[[noreturn]] void usage(const char* what) {
    std::fprintf(stderr, "bench: %s\nusage: bench --seed N --limit CYCLES --mark ADDR --result ADDR +image=FILE\n", what);
    std::exit(2);
}

uint64_t number(const char* text) {
    char* end = nullptr;
    const uint64_t value = std::strtoull(text, &end, 0);
    if (end == text || *end != 0) usage(text);
    return value;
}

struct Arguments {
    uint64_t seed = 1, limit = 0, mark = 0, result = 0;
};

Arguments parse(int argc, char** argv) {
    Arguments a;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word[0] == '+') continue;
        if (i + 1 == argc) usage("a value is missing");
        const uint64_t value = number(argv[++i]);
        if (word == "--seed") a.seed = value;
        else if (word == "--limit") a.limit = value;
        else if (word == "--mark") a.mark = value;
        else if (word == "--result") a.result = value;
        else usage(word.c_str());
    }
    if (a.limit == 0) usage("--limit is missing");
    return a;
}

void print(const char* stop, uint64_t cycles, uint32_t code, uint32_t result, const std::vector<uint64_t>& marks,
           const std::string& console) {
    std::printf("{\"stop\": \"%s\", \"cycles\": %llu, \"code\": %u, \"result\": %u, \"marks\": [", stop,
                (unsigned long long)cycles, code, result);
    for (size_t i = 0; i < marks.size(); ++i) std::printf("%s%llu", i ? ", " : "", (unsigned long long)marks[i]);
    std::printf("], \"console\": \"");
    for (const unsigned char c : console) std::printf("\\u%04x", c);
    std::printf("\"}\n");
}
}  // namespace

int main(int argc, char** argv) {
    const Arguments a = parse(argc, argv);
    const std::unique_ptr<VerilatedContext> context{new VerilatedContext};
    context->commandArgs(argc, argv);
    context->randReset(2);
    context->randSeed(static_cast<int>(a.seed));
    const std::unique_ptr<Vtop> top{new Vtop{context.get()}};
    auto edge = [&](int level) {
        top->clk = level;
        top->eval();
    };
    top->resetn = 0;
    edge(0);
    for (int i = 0; i < RESET_CYCLES; ++i) {
        edge(1);
        edge(0);
    }
    top->resetn = 1;
    top->eval();

    std::vector<uint64_t> marks;
    std::string console;
    uint32_t result = 0, code = 0;
    const char* stop = "limit";
    uint64_t cycle = 0;
    for (; cycle < a.limit; ++cycle) {
        if (top->store) {
            const uint32_t addr = top->store_addr, data = top->store_data;
            if (addr == a.mark) marks.push_back(cycle);
            if (addr == a.result) result = data;
            if (addr == CONSOLE) console.push_back(static_cast<char>(data));
            if (addr == FINISHER) {
                stop = (data & 0xffff) == PASS ? "pass" : "fail";
                code = data >> 16;
                break;
            }
        }
        if (top->stopped) {
            stop = "trap";
            break;
        }
        edge(1);
        edge(0);
    }
    top->final();
    print(stop, cycle, code, result, marks, console);
    return 0;
}
