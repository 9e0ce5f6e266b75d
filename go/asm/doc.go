// Package asm holds the programs that write the assembly of the module beside it. They are a module of their own,
// so that the library does not depend on what they need.
package asm
