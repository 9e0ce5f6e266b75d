//go:build !purego

package poly1305

//go:noescape
func absorbNEON(h *[5]uint64, powers *table, depth int, p *byte, groups int)
