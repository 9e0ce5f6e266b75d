//go:build !purego

package chacha20poly1305

//go:noescape
func xorNEON(dst, src *byte, blocks int, key *[8]uint32, first, last uint64)

//go:noescape
func lanesNEON(out *[1024]byte, table *[192]uint32, blocks int)
