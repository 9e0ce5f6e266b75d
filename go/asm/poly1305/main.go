// Command poly1305 writes the amd64 assembly of the package of that name: many blocks of one message at a time.
package main

import "github.com/mmcloughlin/avo/build"

func main() {
	build.ConstraintExpr("!purego")
	avx2()
	ifma()
	lanes()
	build.Generate()
}
