// Command poly1305 generates the amd64 assembly of package poly1305.
package main

import "github.com/mmcloughlin/avo/build"

func main() {
	build.ConstraintExpr("!purego")
	avx2()
	ifma()
	lanes()
	build.Generate()
}
