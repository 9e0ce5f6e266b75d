/* Uses keylane beside another library in Rust (other.rs). */

#include <keylane.h>

unsigned int other(unsigned int count);

int main(void) {
    static keylane_kernel kernels[100];
    size_t count;
    if (keylane_selftest() != KEYLANE_OK || keylane_kernels(kernels, 100, &count) != KEYLANE_OK || count == 0) return 1;
    return other(5) == 5 && other(7) == 99 ? 0 : 2;
}
