package chacha20poly1305

import (
	"crypto/subtle"
	"encoding/binary"

	"keylane.example/go/poly1305"
)

const (
	// waitSize is how many bytes of key stream wait in memory: block 0, and the first or the last ones of a text.
	waitSize = 16 * blockSize
	// shortSize is the same for texts of at most shortText bytes, where waitSize would cost time.
	shortSize, shortText = 4 * blockSize, 3 * blockSize
	// pieceSize is how many bytes are encrypted before they are authenticated: they then wait in L1.
	pieceSize = 16 << 10
)

// zeros are XORed with a key stream to get the key stream.
var zeros [waitSize]byte

// stream fills p, whole blocks of at most waitSize bytes, with key stream.
func (k *kernel) stream(p []byte, s *state) { k.xor(p, zeros[:len(p)], s) }

// xor XORs src, whole blocks, with the key stream into dst.
func (k *kernel) xor(dst, src []byte, s *state) {
	if len(src) == 0 {
		return
	}
	k.xorBlocks(dst[:len(src)], src, s)
	s.skip(len(src) / blockSize)
}

// wholeBlocks returns the number of blocks that n bytes need.
func wholeBlocks(n int) int { return int((uint(n) + blockSize - 1) / blockSize) }

// begin makes block 0 and the following ones, as many as a text of n bytes needs and wait holds.
func (k *kernel) begin(wait []byte, s *state, n int) {
	k.stream(wait[:min(len(wait)/blockSize, 1+wholeBlocks(n))*blockSize], s)
}

// first XORs the beginning of src with the blocks behind block 0 into dst, and returns its length.
func first(wait, dst, src []byte) int {
	return subtle.XORBytes(dst, src[:min(len(src), len(wait)-blockSize)], wait[blockSize:])
}

// rest XORs src with the key stream into dst. It uses wait for a last block that is not whole.
func (k *kernel) rest(wait, dst, src []byte, s *state) {
	if len(src)%blockSize == 0 {
		k.xor(dst, src, s)
		return
	}
	// A kernel takes many blocks in one go, so those before the incomplete one are done together with it.
	whole := len(src) &^ (len(wait) - 1)
	k.xor(dst, src[:whole], s)
	dst, src = dst[whole:], src[whole:]
	stream := wait[:wholeBlocks(len(src))*blockSize]
	k.stream(stream, s)
	subtle.XORBytes(dst, src, stream)
}

// seal encrypts text into out and puts the tag behind it.
func (k *kernel) seal(s *state, out, text, additionalData []byte) {
	if len(text) <= shortText {
		var wait [shortSize]byte
		k.sealWith(wait[:], s, out, text, additionalData)
		wipe(wait[:])
		return
	}
	var wait [waitSize]byte
	k.sealWith(wait[:], s, out, text, additionalData)
	wipe(wait[:])
}

func (k *kernel) sealWith(wait []byte, s *state, out, text, additionalData []byte) {
	n := len(text)
	sealed, tag := out[:n:n], (*[Overhead]byte)(out[n:])
	k.begin(wait, s, n)
	oneTime := [poly1305.KeySize]byte(wait)
	done := first(wait, sealed, text)
	if n <= pieceSize {
		k.rest(wait, sealed[done:], text[done:], s)
		poly1305.SumAEAD(tag, additionalData, sealed, &oneTime)
	} else {
		var mac poly1305.MAC
		mac.Init(&oneTime)
		mac.Write(additionalData)
		mac.Write(zeros[:-len(additionalData)&15])
		for from := 0; from < n; {
			to := min(n, from+pieceSize)
			k.rest(wait, sealed[done:to], text[done:to], s)
			mac.Write(sealed[from:to])
			from, done = to, to
		}
		mac.Write(zeros[:-n&15])
		var lengths [16]byte
		binary.LittleEndian.PutUint64(lengths[:8], uint64(len(additionalData)))
		binary.LittleEndian.PutUint64(lengths[8:], uint64(n))
		mac.Write(lengths[:])
		mac.Sum(tag[:0])
	}
	wipe(oneTime[:])
}

// open decrypts sealed, a ciphertext and its tag, into out. It returns false and writes nothing if the tag is wrong.
func (k *kernel) open(s *state, out, sealed, additionalData []byte) bool {
	if len(out) <= shortText {
		var wait [shortSize]byte
		isGood := k.openWith(wait[:], s, out, sealed, additionalData)
		wipe(wait[:])
		return isGood
	}
	var wait [waitSize]byte
	isGood := k.openWith(wait[:], s, out, sealed, additionalData)
	wipe(wait[:])
	return isGood
}

func (k *kernel) openWith(wait []byte, s *state, out, sealed, additionalData []byte) bool {
	n := len(out)
	text, sent := sealed[:n], sealed[n:]
	k.begin(wait, s, n)
	var tag [Overhead]byte
	poly1305.SumAEAD(&tag, additionalData, text, (*[poly1305.KeySize]byte)(wait))
	if !equal(&tag, (*[Overhead]byte)(sent)) {
		return false
	}
	done := first(wait, out, text)
	k.rest(wait, out[done:], text[done:], s)
	return true
}

// equal compares tags in constant time. It takes words, since subtle.ConstantTimeCompare takes byte by byte.
func equal(a, b *[Overhead]byte) bool {
	d := binary.LittleEndian.Uint64(a[:8]) ^ binary.LittleEndian.Uint64(b[:8])
	d |= binary.LittleEndian.Uint64(a[8:]) ^ binary.LittleEndian.Uint64(b[8:])
	return subtle.ConstantTimeEq(int32(uint32(d)|uint32(d>>32)), 0) == 1
}
