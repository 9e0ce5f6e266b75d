package poly1305

import (
	"encoding/binary"

	"keylane.example/go/internal/selftest"
)

// The known answers that a kernel must give before it may be used. They catch a kernel that this CPU, emulator or
// compiler gets wrong. They do not replace the tests.
//
// There are two texts, as in the Rust library's self-test. Bytes of ones lead to the most carries. Blocks that all
// differ show a kernel that confuses its lanes. fill makes them.

var (
	// lengths are the lengths of messages for kernels that take many blocks at a time: one group of blocks, two groups,
	// and as many as each method takes at a time and more. The lengths from 256 on cover every tail.
	lengths = [...]int{
		15, 125, 250, 771, 1500, 2048, 4500, longest, 401, 434, 485, 518, 551, 584, 619, 654, 266, 381, 271,
	}
	lengthAnswers = [len(lengths)]selftest.Sum{
		0xf35f4c1004f93708, 0xb55211bfd577ae6d, 0x535802c00ef98755, 0x755df604621c8e61, 0xafc5ac7b31de866d,
		0xd1538fdffeb20da9, 0x5efa4ae38c721293, 0x8d933801ab2731fc, 0xce109e061df89f60, 0x894a93eb287a9cf9,
		0xfb1200f1edc20391, 0xcc9a6aff1385cf8f, 0x2b978e36c96abb5f, 0xf135eed3fe8ddf09, 0xb8846763ed1d4ec8,
		0x7224861bb548b3b1, 0xae99c8f766729845, 0x9cc36c4b477d681f, 0x5f2ee08c04fbf695,
	}

	// batches are batches of 9 messages: the length of the first, and how much longer each next one is.
	batches      = [...][2]int{{0, 21}, {450, 49}, {576, 0}, {61, 0}, {459, 65}}
	batchAnswers = [len(batches)]selftest.Sum{
		0x89121a291ebbbcc8, 0xf6ac660b0c788573, 0x0ef051172bd3acbf, 0x96647f2bdf10b29d, 0x07333353a9151f77,
	}
)

const (
	longest = 9001 // of lengths
	texts   = 2

	// The blocks of a message whose blocks all differ: every number of groups of a turn, and of blocks in a group.
	fewestBlocks, mostBlocks = 8, 96

	wholeAnswer  selftest.Sum = 0x994881f755c3a6ab
	piecesAnswer selftest.Sum = 0xa4f360b4f09f3681
	lanesAnswer  selftest.Sum = 0xe77d1ea32db76ecc
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

// fill makes p the first bytes of text 0 or 1.
func fill(p []byte, text int) {
	if text == 1 {
		selftest.Differ(p)
		return
	}
	for i := range p {
		p[i] = 0xff
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
	var sums [len(lengths)]selftest.Sum
	for i := range texts {
		fill(text[:], i)
		for i, n := range lengths {
			key := testKey(i % selftest.Keys)
			k, blocks, tail := load(&key), text[:n&^(blockSize-1)], text[n&^(blockSize-1):n]
			tag := m.message(k, blocks).sum(k, tail)
			sums[i] = plus(sums[i], &tag)
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
	}

	// The second text again.
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
	return sums == lengthAnswers && whole == wholeAnswer && pieces == piecesAnswer
}

// passes reports whether m gives the known answers.
//
//go:noinline
func (m *together) passes() bool {
	const count = fewest + 1
	var text [4096]byte
	var keys [count][KeySize]byte
	var messages [count][]byte
	var tags [count][TagSize]byte
	for i := range keys {
		keys[i] = testKey(i % selftest.Keys)
	}
	var sums [len(batches)]selftest.Sum
	for i := range texts {
		fill(text[:], i)
		for i, batch := range batches {
			for j := range messages {
				messages[j] = text[j:][:batch[0]+j*batch[1]]
			}
			m.sum(tags[:], keys[:], messages[:])
			for j := range tags {
				sums[i] = plus(sums[i], &tags[j])
			}
		}
	}

	// The second text again.
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
	return sums == batchAnswers && sum == lanesAnswer
}
