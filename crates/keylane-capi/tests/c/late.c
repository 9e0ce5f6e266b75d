/* Loads the library after the environment has changed: strings replaced, added, removed, and one that is no longer there.
 * Prints the active kernels. Its argument is the path of the library; GONE and KEYLANE_KERNEL must be set. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <keylane.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char **argv) {
    char message[200], *page;
    void *library;
    keylane_status (*environment)(char *, size_t);
    keylane_status (*list)(keylane_kernel *, size_t, size_t *);
    static keylane_kernel kernels[100];
    size_t count, i;
    if (argc != 2) return 2;
    /* A string in the environment that is gone, and values that keylane must not follow. */
    page = (char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return 2;
    strcpy(page, "GONE=2");
    if (getenv("GONE") == NULL || putenv(page) != 0) return 2;
    if (setenv("NEW", "1", 1) != 0 || setenv("KEYLANE_KERNEL", "none", 1) != 0) return 2;
    if (unsetenv("GONE") != 0 || munmap(page, 4096) != 0) return 2;
    library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) return 3;
    *(void **)&environment = dlsym(library, "keylane_environment");
    *(void **)&list = dlsym(library, "keylane_kernels");
    if (environment == NULL || list == NULL) return 4;
    if (environment(message, sizeof message) != KEYLANE_OK) return 5;
    if (list(kernels, 100, &count) != KEYLANE_OK) return 6;
    for (i = 0; i < count; i++)
        if (kernels[i].state == KEYLANE_KERNEL_ACTIVE) printf("%s=%s\n", kernels[i].slot, kernels[i].id);
    return 0;
}
