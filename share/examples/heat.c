/* A bar cools down, in C:
 *
 *     cc heat.c -o heat -lm
 *     scope-profiler run ./heat
 */
#include <math.h>
#include <scope_profiler.h>
#include <stdio.h>

enum { CELLS = 1000, STEPS = 200 };

static double bar[CELLS + 2], next[CELLS + 2];

static void diffuse(void) {
    for (int i = 1; i <= CELLS; i++) next[i] = bar[i] + 0.25 * (bar[i - 1] - 2 * bar[i] + bar[i + 1]);
    for (int i = 1; i <= CELLS; i++) bar[i] = next[i];
}

static double norm(void) {
    double sum = 0;
    for (int i = 1; i <= CELLS; i++) sum += bar[i] * bar[i];
    return sqrt(sum);
}

int main(void) {
    const int step = SP_REGION_AT("step"), check = SP_REGION_AT("check");
    bar[CELLS / 2] = 1;
    for (int n = 1; n <= STEPS; n++) {
        sp_begin(step);
        diffuse();
        if (n % 50 == 0) {
            sp_begin(check);
            printf("%3d %.6f\n", n, norm());
            sp_end(check);
        }
        sp_end(step);
    }
    return 0;
}
