/* Uses the parts of keylane that need the most of Rust's standard library. Its argument is the status that
 * keylane_environment must return. */

#include <keylane.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    char text[100];
    unsigned char key[32];
    if (argc != 2 || keylane_environment(text, sizeof text) != (keylane_status)atoi(argv[1])) return 1;
    return keylane_selftest() != KEYLANE_OK || keylane_random(key, sizeof key) != KEYLANE_OK;
}
