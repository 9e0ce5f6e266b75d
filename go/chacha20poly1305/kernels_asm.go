//go:build !purego && (amd64 || arm64)

package chacha20poly1305

// A kernel computes blocks of one message, and a together those of many.
type (
	kernel   struct{ method method }
	together struct{ method method }
)

// pays reports whether so many packets are done faster together than one by one.
func (m *together) pays(packets int) bool { return packets >= fewestPackets && m.method != scalar }
