package chacha20poly1305

import (
	"encoding/binary"
	"math/bits"
)

// blockSize is the size of a block of key stream.
const blockSize = 64

// The first four words of every block's input.
const word0, word1, word2, word3 = 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574

// A state is the other twelve words of a block's input, and names the next block of a key stream.
//
// The last four words are two numbers, since a kernel that loads what it needs in one piece waits for a store in several.
type state struct {
	key   [8]uint32
	first uint64 // the block's number, and word 0 of the nonce above it
	last  uint64 // words 1 and 2 of the nonce
}

// load splits bytes into words.
func load(words []uint32, p []byte) {
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(p[4*i:])
	}
}

// counter returns the number of the next block.
func (s *state) counter() uint32 { return uint32(s.first) }

// skip advances by n blocks. The number of a block wraps around, and the nonce stays.
func (s *state) skip(n int) { s.first = s.first>>32<<32 | uint64(uint32(s.first)+uint32(n)) }

// xorBlocks XORs the whole blocks of src with the key stream, in Go, into dst.
func (s *state) xorBlocks(dst, src []byte) {
	for counter := s.counter(); len(src) >= blockSize; counter++ {
		s.xorBlock((*[blockSize]byte)(dst), (*[blockSize]byte)(src), counter)
		dst, src = dst[blockSize:], src[blockSize:]
	}
}

// xorBlock XORs src with the block of this number into dst.
func (s *state) xorBlock(dst, src *[blockSize]byte, counter uint32) {
	n0, n1, n2 := uint32(s.first>>32), uint32(s.last), uint32(s.last>>32)
	k := &s.key
	x0, x1, x2, x3 := uint32(word0), uint32(word1), uint32(word2), uint32(word3)
	x4, x5, x6, x7 := k[0], k[1], k[2], k[3]
	x8, x9, x10, x11 := k[4], k[5], k[6], k[7]
	x12, x13, x14, x15 := counter, n0, n1, n2
	for range 10 {
		x0, x4, x8, x12 = quarter(x0, x4, x8, x12)
		x1, x5, x9, x13 = quarter(x1, x5, x9, x13)
		x2, x6, x10, x14 = quarter(x2, x6, x10, x14)
		x3, x7, x11, x15 = quarter(x3, x7, x11, x15)
		x0, x5, x10, x15 = quarter(x0, x5, x10, x15)
		x1, x6, x11, x12 = quarter(x1, x6, x11, x12)
		x2, x7, x8, x13 = quarter(x2, x7, x8, x13)
		x3, x4, x9, x14 = quarter(x3, x4, x9, x14)
	}
	xorWord(dst, src, 0, x0+word0)
	xorWord(dst, src, 4, x1+word1)
	xorWord(dst, src, 8, x2+word2)
	xorWord(dst, src, 12, x3+word3)
	xorWord(dst, src, 16, x4+k[0])
	xorWord(dst, src, 20, x5+k[1])
	xorWord(dst, src, 24, x6+k[2])
	xorWord(dst, src, 28, x7+k[3])
	xorWord(dst, src, 32, x8+k[4])
	xorWord(dst, src, 36, x9+k[5])
	xorWord(dst, src, 40, x10+k[6])
	xorWord(dst, src, 44, x11+k[7])
	xorWord(dst, src, 48, x12+counter)
	xorWord(dst, src, 52, x13+n0)
	xorWord(dst, src, 56, x14+n1)
	xorWord(dst, src, 60, x15+n2)
}

// xorWord XORs four bytes of src with a word into dst.
func xorWord(dst, src *[blockSize]byte, at int, word uint32) {
	binary.LittleEndian.PutUint32(dst[at:at+4], word^binary.LittleEndian.Uint32(src[at:at+4]))
}

// quarter is a quarter round.
func quarter(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	a += b
	d = bits.RotateLeft32(d^a, 16)
	c += d
	b = bits.RotateLeft32(b^c, 12)
	a += b
	d = bits.RotateLeft32(d^a, 8)
	c += d
	b = bits.RotateLeft32(b^c, 7)
	return a, b, c, d
}

// start sets s to block 0 of a message.
func (c *sealer) start(k *kernel, s *state, nonce []byte) {
	s.key = c.key
	if c.isExtended {
		k.extend(s, nonce)
		nonce = nonce[NonceSizeX-NonceSize:]
		s.first = 0
	} else {
		s.first = uint64(binary.LittleEndian.Uint32(nonce)) << 32
	}
	s.last = binary.LittleEndian.Uint64(nonce[4:12])
}

// extend replaces the key of s by XChaCha20's subkey for the first 16 bytes of a nonce.
//
// HChaCha20 returns the first and the last four words of a block without the final addition. What was added is public, so
// it is subtracted from a block of key stream.
func (k *kernel) extend(s *state, nonce []byte) {
	s.first, s.last = binary.LittleEndian.Uint64(nonce), binary.LittleEndian.Uint64(nonce[8:])
	var block [blockSize]byte
	k.stream(block[:], s)
	s.subkey(&block, nonce)
	wipe(block[:])
}

// subkey sets the key to that of a nonce, whose block of key stream this is.
func (s *state) subkey(block *[blockSize]byte, nonce []byte) {
	for i, constant := range [4]uint32{word0, word1, word2, word3} {
		s.key[i] = binary.LittleEndian.Uint32(block[4*i:]) - constant
		s.key[4+i] = binary.LittleEndian.Uint32(block[48+4*i:]) - binary.LittleEndian.Uint32(nonce[4*i:])
	}
}

// wipe overwrites p. It is not inlined, because the compiler could then remove the stores as dead.
//
//go:noinline
func wipe(p []byte) { clear(p) }
