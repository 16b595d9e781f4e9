/* Runs a bench until it finishes. */
#include "Vbench.h"
#include "verilated.h"

int main(int argc, char **argv)
{
    VerilatedContext context;
    context.commandArgs(argc, argv);
    Vbench bench(&context);
    while (!context.gotFinish()) {
        bench.clk ^= 1;
        bench.eval();
    }
    bench.final();
    return 0;
}
