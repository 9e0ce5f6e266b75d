// Package chacha20poly1305 implements ChaCha20-Poly1305 (RFC 8439) and XChaCha20-Poly1305
// (draft-irtf-cfrg-xchacha-03): encryption that also authenticates.
//
// Names, arguments, panics and errors are those of golang.org/x/crypto/chacha20poly1305, so a program changes by its
// import only. [SealMany] and [OpenMany] take many packets in one call.
//
// A nonce must not come twice under one key: two messages under one nonce reveal the XOR of their texts, and anyone can
// then forge messages. Count, or draw nonces of [NonceSizeX] bytes from crypto/rand.
//
//   - Opening computes the tag first. If it is wrong, nothing is written: a buffer that was to be decrypted in place still
//     holds the ciphertext.
//   - No branch and no memory address depends on a key, a tag or the bytes of a message. Both may depend on a length, and
//     on which messages are forged.
//   - A ciphertext does not commit to its key: someone who knows two keys can make a ciphertext that opens under both.
//
// This package overwrites the one-time keys and the key stream that it kept in memory. Go limits this: registers, values
// that the compiler spilled to the stack, and old copies of a stack that has grown are out of reach, and the key of an
// AEAD stays until the garbage collector frees it. Package fmt prints no key.
//
// The first call chooses the best kernel that this CPU has and that passes its self-test, in less than a millisecond;
// [Kernels] names it. The build tag purego leaves out all assembly.
package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/fips140"
	"errors"
	"fmt"
	"io"
)

const (
	// KeySize is the size of a key in bytes.
	KeySize = 32
	// NonceSize is the size of a nonce of [New] in bytes. It is too short for nonces that are drawn at random.
	NonceSize = 12
	// NonceSizeX is the size of a nonce of [NewX] in bytes.
	NonceSizeX = 24
	// Overhead is how many bytes longer than its plaintext a ciphertext is: the size of the tag.
	Overhead = 16
)

// The longest texts: block 0 of the key stream makes the one-time key, and the blocks are counted by 32 bits.
const longestText, longestSealed = 1<<38 - 64, 1<<38 - 48

var (
	// ErrOpen is the error of a message that was not sealed under this key, nonce and additional data.
	ErrOpen = errors.New("chacha20poly1305: message authentication failed")

	errKey  = errors.New("chacha20poly1305: bad key length")
	errFIPS = errors.New("chacha20poly1305: use of ChaCha20Poly1305 is not allowed in FIPS 140-only mode")
)

// New returns ChaCha20-Poly1305 under a key of [KeySize] bytes. It may be used by many goroutines.
func New(key []byte) (cipher.AEAD, error) { return newAEAD(key, false) }

// NewX returns XChaCha20-Poly1305 under a key of [KeySize] bytes. It may be used by many goroutines. Its nonces have
// [NonceSizeX] bytes and can be drawn at random.
func NewX(key []byte) (cipher.AEAD, error) { return newAEAD(key, true) }

// sealer is a key for one of the two.
type sealer struct {
	key        [8]uint32
	isExtended bool // XChaCha20
}

func newAEAD(key []byte, isExtended bool) (cipher.AEAD, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	if len(key) != KeySize {
		return nil, errKey
	}
	c := &sealer{isExtended: isExtended}
	load(c.key[:], key)
	return c, nil
}

// NonceSize returns [NonceSize] or [NonceSizeX].
func (c *sealer) NonceSize() int {
	if c.isExtended {
		return NonceSizeX
	}
	return NonceSize
}

// Overhead returns [Overhead].
func (c *sealer) Overhead() int { return Overhead }

// Format implements [fmt.Formatter] and shows nothing of the key.
func (c *sealer) Format(f fmt.State, _ rune) { io.WriteString(f, "chacha20poly1305.AEAD") }

// Seal implements [cipher.AEAD]. It panics as x/crypto's does: if the nonce has another size, the text more than
// 2^38 - 64 bytes, or if dst overlaps the text elsewhere than at its beginning, or the additional data anywhere.
func (c *sealer) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	c.checkSeal(nonce, plaintext)
	sealed, out := grow(dst, len(plaintext)+Overhead)
	checkOverlap(out, plaintext, additionalData)
	k := active()
	var s state
	c.start(k, &s, nonce)
	k.seal(&s, out, plaintext, additionalData)
	return sealed
}

// Open implements [cipher.AEAD]. It panics as [sealer.Seal] does. If the message was forged, it returns [ErrOpen] and
// has written nothing.
func (c *sealer) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	if !c.checkOpen(nonce, ciphertext) {
		return nil, ErrOpen
	}
	n := len(ciphertext) - Overhead
	opened, out := grow(dst, n)
	checkOverlap(out, ciphertext[:n], additionalData)
	k := active()
	var s state
	c.start(k, &s, nonce)
	if !k.open(&s, out, ciphertext, additionalData) {
		return nil, ErrOpen
	}
	return opened, nil
}

// checkSeal panics if a message cannot be sealed.
func (c *sealer) checkSeal(nonce, plaintext []byte) {
	if len(nonce) != c.NonceSize() {
		panic("chacha20poly1305: bad nonce length passed to Seal")
	}
	if uint64(len(plaintext)) > longestText {
		panic("chacha20poly1305: plaintext too large")
	}
}

// checkOpen panics if a message cannot be opened, and reports whether it is long enough for a tag.
func (c *sealer) checkOpen(nonce, ciphertext []byte) bool {
	if len(nonce) != c.NonceSize() {
		panic("chacha20poly1305: bad nonce length passed to Open")
	}
	if uint64(len(ciphertext)) > longestSealed {
		panic("chacha20poly1305: ciphertext too large")
	}
	return len(ciphertext) >= Overhead
}

// grow returns dst with n more bytes, and these bytes. It copies dst if its capacity is too small.
func grow(dst []byte, n int) (all, more []byte) {
	if total := len(dst) + n; total <= cap(dst) {
		all = dst[:total]
	} else {
		all = make([]byte, total)
		copy(all, dst)
	}
	return all, all[len(dst):]
}
