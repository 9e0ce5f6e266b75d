//go:build !purego

package poly1305

// The kernel of asm/poly1305/lanes.go: 8 messages at a time in base 2^44, up to the length of the shortest.

// The kernel pays off if the shortest of 8 messages has at least fewestLanes and at most mostLanes whole blocks, and the
// longest is less than unlike times as long. The rest of the longer ones is computed alone, which is slow.
const fewestLanes, mostLanes, unlike = 4, 160, 2

// eight computes the tags of 8 messages, or returns false if that does not pay off.
func (m *together) eight(tags *[8][TagSize]byte, keys *[8][KeySize]byte, messages *[8][]byte) bool {
	const least = fewestLanes * blockSize
	if m.n != 8 || len(messages[0]) < least {
		return false
	}
	// Negative if one is shorter. A branch for each would often be predicted wrong.
	short := 0
	for i := range messages {
		short |= len(messages[i]) - least
	}
	if short < 0 {
		return false
	}
	shortest, longest := len(messages[0]), 0
	for i := range messages {
		shortest, longest = min(shortest, len(messages[i])), max(longest, len(messages[i]))
	}
	blocks := shortest / blockSize &^ 1
	if blocks > mostLanes || longest/unlike >= shortest {
		return false
	}
	sumLanes(tags, keys, messages, blocks)
	return true
}

// sumLanes computes 8 messages, the given number of blocks of each together. No message may have fewer.
func sumLanes(tags *[8][TagSize]byte, keys *[8][KeySize]byte, messages *[8][]byte, blocks int) {
	var h [24]uint64
	var r [16]uint64
	var p [8]*byte
	for i := range p {
		k := load(&keys[i])
		r[i], r[8+i], p[i] = k.r0, k.r1, &messages[i][0]
	}
	lanesIFMA(&h, &r, &p, blocks/2)
	spoilLanes(&h, blocks)
	for i, m := range messages {
		k := load(&keys[i])
		k.finish(&tags[i], join44(&[3]uint64{h[i], h[8+i], h[16+i]}), m[blockSize*blocks:])
	}
	wipeLanes(&h, &r)
}

// wipeLanes is not inlined, because the compiler could then remove the stores as dead.
//
//go:noinline
func wipeLanes(h *[24]uint64, r *[16]uint64) { *h, *r = [24]uint64{}, [16]uint64{} }
