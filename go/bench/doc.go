// Package bench compares the speed of keylane with other Go packages. It is a separate module, so the library does
// not depend on them.
package bench
