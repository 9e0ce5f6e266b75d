/* Both headers, for compilers that warn of more than is wrong. */

#include <keylane.h>
#include <keylane_inline.h>

int main(void) { return 0; }
