/* Sizes and alignments of every struct, and the number of every status, as the compiler sees them in the header. */

#include <keylane.h>
#include <stdio.h>

#define SHOW(type)                                                                                            \
    do {                                                                                                      \
        struct aligned { char c; type t; };                                                                   \
        printf("%s %lu %lu\n", #type, (unsigned long)sizeof(type), (unsigned long)offsetof(struct aligned, t)); \
    } while (0)
#define STATUS(name) printf("%s %d\n", #name, (int)name)

int main(void) {
    TYPES
    STATUSES
    return 0;
}
