/* What every way of building is tried with: plain regions, a location, a context, numbers; prints the same whether it
 * is recorded or not. Also compiled as C++. */
#include <scope_profiler.h>
#include <stdio.h>

static int fibonacci(int region, int n) {
    int result;
    sp_begin(region);
    result = n < 2 ? n : fibonacci(region, n - 1) + fibonacci(region, n - 2);
    sp_end(region);
    return result;
}

int main(void) {
    const int fib = sp_region("fib"), loop = SP_REGION_AT("loop");
    int i;
    sp_begin(loop);
    for (i = 0; i < 100; i++) {
        const int step = sp_region("step");
        sp_begin(step);
        sp_end(step);
    }
    sp_end(loop);
    printf("fib(10) = %d\n", fibonacci(fib, 10));
    return 3;
}
