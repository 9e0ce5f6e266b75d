//go:build !purego

package poly1305

// The kernel of asm/poly1305/lanes.go: 8 messages at a time in base 2^44, up to the length of the shortest.

// The kernel pays off if the shortest of 8 messages has at least fewestLanes and at most mostLanes whole blocks, and the
// longest is less than unlike times as long. The rest of the longer ones is computed alone, which is slow.
const fewestLanes, mostLanes, unlike = 4, 160, 2

// lanesOf returns how many blocks of each of 8 messages are computed together, or 0 if that does not pay off.
func (m *together) lanesOf(messages *[8][]byte) int {
	const least = fewestLanes * blockSize
	if m.n != 8 || len(messages[0]) < least {
		return 0
	}
	// Negative if one is shorter. A branch for each would often be predicted wrong.
	short := 0
	for i := range messages {
		short |= len(messages[i]) - least
	}
	if short < 0 {
		return 0
	}
	shortest, longest := len(messages[0]), 0
	for i := range messages {
		shortest, longest = min(shortest, len(messages[i])), max(longest, len(messages[i]))
	}
	blocks := shortest / blockSize &^ 1
	if blocks > mostLanes || longest/unlike >= shortest {
		return 0
	}
	return blocks
}

// eight computes the tags of 8 messages, or returns false if that does not pay off.
func (m *together) eight(tags *[8][TagSize]byte, keys *[8][KeySize]byte, messages *[8][]byte) bool {
	blocks := m.lanesOf(messages)
	if blocks > 0 {
		sumLanes(tags, keys, nil, messages, blocks)
	}
	return blocks > 0
}

// eightAEAD is eight for additional data and ciphertexts.
func (m *together) eightAEAD(
	tags *[8][TagSize]byte, keys *[8][KeySize]byte, additionalData, ciphertexts *[8][]byte,
) bool {
	blocks := m.lanesOf(ciphertexts)
	if blocks > 0 {
		sumLanes(tags, keys, additionalData, ciphertexts, blocks)
	}
	return blocks > 0
}

// sumLanes computes 8 messages, the given number of blocks of each together. No message may have fewer. If there is
// additional data, the messages are ciphertexts.
func sumLanes(tags *[8][TagSize]byte, keys *[8][KeySize]byte, additionalData, messages *[8][]byte, blocks int) {
	var h [24]uint64
	var r [16]uint64
	var p [8]*byte
	for i := range p {
		k := load(&keys[i])
		r[i], r[8+i], p[i] = k.r0, k.r1, &messages[i][0]
		if additionalData != nil {
			h[i], h[8+i], h[16+i] = element{}.filled(k, additionalData[i]).limbs44()
		}
	}
	lanesIFMA(&h, &r, &p, blocks/2)
	spoilLanes(&h, blocks)
	for i, m := range messages {
		k := load(&keys[i])
		x := join44(&[3]uint64{h[i], h[8+i], h[16+i]})
		rest := m[blockSize*blocks:]
		if additionalData == nil {
			k.finish(&tags[i], x, rest)
		} else {
			k.tag(&tags[i], x.filled(k, rest).lengths(k, len(additionalData[i]), len(m)))
		}
	}
	wipeLanes(&h, &r)
}

// wipeLanes is not inlined, because the compiler could then remove the stores as dead.
//
//go:noinline
func wipeLanes(h *[24]uint64, r *[16]uint64) { *h, *r = [24]uint64{}, [16]uint64{} }
