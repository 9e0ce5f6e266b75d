//go:generate go run . -out ../../poly1305/absorb_amd64.s -stubs ../../poly1305/stubs_amd64.go -pkg poly1305

// Command poly1305 writes the assembly of the package of that name.
package main

import "github.com/mmcloughlin/avo/build"

func main() {
	build.ConstraintExpr("!purego")
	avx2()
	ifma()
	build.Generate()
}
