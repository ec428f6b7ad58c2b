/* fake_user.c: a program of a fake MPI. errno stays what it was, whatever records its calls. */
#include <errno.h>
#include <stdio.h>

extern int MPI_Init(int *, char ***), MPI_Finalize(void), MPI_Barrier(long);
extern int MPI_Allreduce(const int *, int *, int, long, long, long);

int main(int argc, char **argv) {
    int in = 42, out = 0, wrong = 0;
    errno = 77;
    wrong += MPI_Init(&argc, &argv) != 0 || errno != 77;
    for (int i = 0; i < 10; i++) wrong += MPI_Allreduce(&in, &out, 1, 0x203, 0x21, 0x101) != 0 || errno != 77;
    wrong += MPI_Barrier(0x101) != 0 || errno != 77;
    wrong += MPI_Finalize() != 0 || errno != 77;
    printf("%d %d\n", out, wrong);
    return wrong;
}
