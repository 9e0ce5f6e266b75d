/* A getenv for LD_PRELOAD that tells of a look at KEYLANE_KERNEL and takes a tenth of a second for it: time enough for a
 * fork, a signal or a setenv in between. */

#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

extern char **environ;

char *getenv(const char *name) {
    size_t length = strlen(name);
    char **entry;
    if (strcmp(name, "KEYLANE_KERNEL") == 0) {
        usleep(100000);
        if (write(1, "getenv\n", 7) != 7) _exit(9);
    }
    for (entry = environ; entry != NULL && *entry != NULL; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
    return NULL;
}
