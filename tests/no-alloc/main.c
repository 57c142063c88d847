/* Links the library into a program and runs it. */
#include <stdio.h>

extern int chunkmill_no_alloc(void);

int main(void) {
    int step = chunkmill_no_alloc();
    if (step == 0)
        puts("ingest, verify and restore without an allocator: ok");
    else
        fprintf(stderr, "step %d failed\n", step);
    return step;
}
