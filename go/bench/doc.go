// Package bench times keylane beside its peers in Go. It is a module of its own, so that the library does not depend
// on them.
package bench
