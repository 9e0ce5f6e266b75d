package poly1305

import (
	"encoding/binary"

	"keylane.example/go/internal/selftest"
)

// The known answers that a kernel must give before it may be used. They catch a kernel that this CPU, emulator or
// compiler gets wrong. They do not replace the tests.
//
// Messages of the Rust library's self-test have bytes of ones only, which lead to the most carries. Other messages have
// blocks that all differ, since a kernel that confuses its lanes gives right answers for equal blocks.

var (
	// lengths are the lengths of messages for kernels that take many blocks at a time: one group of blocks, two groups,
	// and as many as each method takes at a time and more. The lengths from 256 on cover every tail.
	lengths = [...]int{
		15, 125, 250, 771, 1500, 2048, 4500, longest, 401, 434, 485, 518, 551, 584, 619, 654, 266, 381, 271,
	}
	lengthAnswers = [len(lengths)]selftest.Sum{
		0x5533325c44c6b310, 0xa9f0db0f4bf43b4c, 0x73d0c4cc5fae521d, 0xb26d733ab3b70811, 0xacbcbb258d31cb11,
		0xd228f2b7074286cb, 0xb6166731e5828bfb, 0x9a24cc726a979cd8, 0x2ecd8be5c5d4f614, 0xa950a93026494da6,
		0xed19fb19cd550462, 0x5a486aa437639ce8, 0xe2246f4736827688, 0x18eeb44db61d8f8a, 0x1642d20a25c689f7,
		0xbc7a2c9a009ceac8, 0x23eeaba0d389411d, 0x89014e38ae70db4b, 0x792fa78cb1e5c92c,
	}

	// batches are batches of 9 messages: the length of the first, and how much longer each next one is.
	batches      = [...][2]int{{0, 21}, {450, 49}, {576, 0}, {61, 0}, {459, 65}}
	batchAnswers = [len(batches)]selftest.Sum{
		0xa4a923d18dc9ba3d, 0x208b22479d7cb26a, 0xc961839dd8ea99bc, 0x97ba4484722f2f11, 0x04372f56ee897b3f,
	}
)

const (
	longest = 9001 // of lengths

	// The blocks of a message whose blocks all differ: every number of groups of a turn, and of blocks in a group.
	fewestBlocks, mostBlocks = 8, 96

	wholeAnswer  selftest.Sum = 0xc082e476b7797aef
	piecesAnswer selftest.Sum = 0xcbaf05786067feb7
	lanesAnswer  selftest.Sum = 0x07831455cba80560
)

// plus adds a tag to a checksum.
func plus(sum selftest.Sum, tag *[TagSize]byte) selftest.Sum {
	return selftest.Plus(sum, binary.LittleEndian.Uint64(tag[:8]), binary.LittleEndian.Uint64(tag[8:]))
}

// testKey returns key i.
func testKey(i int) (key [KeySize]byte) {
	var input [selftest.Keys + KeySize]byte
	selftest.Input(input[:])
	return [KeySize]byte(input[i:])
}

// differ fills p with blocks that all differ.
func differ(p []byte) {
	for i := range len(p) / 8 {
		lo, _ := selftest.Integer(i)
		binary.LittleEndian.PutUint64(p[8*i:], lo)
	}
}

// sum returns the tag of a message whose blocks h has absorbed. p is its tail.
func (h element) sum(k key, p []byte) (tag [TagSize]byte) {
	if len(p) > 0 {
		h = h.last(k.r0, k.r1, p)
	}
	k.tag(&tag, h)
	return tag
}

// piece absorbs a piece as a MAC does.
func (m *kernel) piece(w *powers, h element, k key, p []byte) element {
	if len(p) < again {
		return h.blocks(k.r0, k.r1, p)
	}
	return w.absorb(m, h, k, p)
}

// message absorbs a whole message.
func (m *kernel) message(k key, p []byte) element {
	if len(p) < again {
		return element{}.blocks(k.r0, k.r1, p)
	}
	return element{}.whole(m, k, p)
}

// passes reports whether m gives the known answers.
//
// It is not inlined, so its caller needs no memory for it.
//
//go:noinline
func (m *kernel) passes() bool {
	m = m.eager()
	var text [longest]byte
	for i := range text {
		text[i] = 0xff
	}
	for i, n := range lengths {
		key := testKey(i % selftest.Keys)
		k, blocks, tail := load(&key), text[:n&^(blockSize-1)], text[n&^(blockSize-1):n]
		tag := m.message(k, blocks).sum(k, tail)
		if plus(0, &tag) != lengthAnswers[i] {
			return false
		}
		// In pieces. After a long one, the short ones find its powers.
		behind := len(blocks) / blockSize / 2
		if len(blocks) > 84*blockSize {
			behind = 42
		}
		var w powers
		h := element{}
		for _, size := range [...]int{len(blocks) - behind*blockSize, 5 * blockSize, 12 * blockSize, longest} {
			size = min(size, len(blocks))
			h, blocks = m.piece(&w, h, k, blocks[:size]), blocks[size:]
		}
		if h.sum(k, tail) != tag {
			return false
		}
	}

	differ(text[:])
	var whole, pieces selftest.Sum
	for n := fewestBlocks; n <= mostBlocks; n++ {
		key := [KeySize]byte(text[n:])
		k, blocks, tail := load(&key), text[n:n+n*blockSize], text[:n%blockSize]
		tag := m.message(k, blocks).sum(k, tail)
		whole = plus(whole, &tag)
		// A first piece, and longer and shorter ones with the same powers or more.
		var w powers
		h := element{}
		for _, n := range [...]int{n, fewestBlocks, 2*n + 1, fewestBlocks + n%13} {
			h = m.piece(&w, h, k, text[:n*blockSize])
		}
		tag = h.sum(k, tail)
		pieces = plus(pieces, &tag)
	}
	return whole == wholeAnswer && pieces == piecesAnswer
}

// passes reports whether m gives the known answers.
//
//go:noinline
func (m *together) passes() bool {
	const count = fewest + 1
	var text [4096]byte
	for i := range text {
		text[i] = 0xff
	}
	var keys [count][KeySize]byte
	var messages [count][]byte
	var tags [count][TagSize]byte
	for i := range keys {
		keys[i] = testKey(i % selftest.Keys)
	}
	for i, batch := range batches {
		for j := range messages {
			messages[j] = text[:batch[0]+j*batch[1]]
		}
		m.sum(tags[:], keys[:], messages[:])
		var sum selftest.Sum
		for j := range tags {
			sum = plus(sum, &tags[j])
		}
		if sum != batchAnswers[i] {
			return false
		}
	}

	differ(text[:])
	for i := range keys {
		keys[i] = [KeySize]byte(text[100*i:])
	}
	var sum selftest.Sum
	for blocks := range 42 {
		for j := range messages {
			messages[j] = text[j*(j+blocks):][:blocks*blockSize+(blocks+j)%blockSize]
		}
		m.sum(tags[:], keys[:], messages[:])
		for j := range tags {
			sum = plus(sum, &tags[j])
		}
	}
	return sum == lanesAnswer
}
