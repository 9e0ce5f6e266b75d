package poly1305

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
)

// ErrWrite is the error of a Write when no message is open: before Init, and after Sum, Verify or Wipe.
var ErrWrite = errors.New("poly1305: a MAC takes a message between its key and its tag only")

// A MAC authenticates a message that arrives in pieces of any length. It is an [io.Writer].
//
// The zero value has no key until Init is called: it takes no message, its tag is all zeros, and it verifies
// nothing. A copy of a MAC has the same key, so continue with one of the two only. Package fmt does not print the
// key of a MAC.
type MAC struct {
	key    key
	h      element
	rest   [blockSize]byte // an incomplete block; in the end, the tag
	n      int             // bytes of the incomplete block
	stage  stage
	powers powers
}

type stage uint8

const (
	empty  stage = iota // without a key
	open                // between the key and the tag
	closed              // after the tag
)

// New returns a MAC under a one-time key, for one message.
func New(key *[KeySize]byte) *MAC {
	m := new(MAC)
	m.Init(key)
	return m
}

// Init begins a message under a one-time key. It discards any earlier key and message.
func (m *MAC) Init(key *[KeySize]byte) {
	if m.stage != empty {
		m.Wipe()
	}
	m.key, m.stage = load(key), open
}

// Size returns [TagSize].
func (m *MAC) Size() int { return TagSize }

// Write adds p to the message. It fails only if no message is open: then it returns [ErrWrite] and does nothing.
func (m *MAC) Write(p []byte) (int, error) {
	if m.stage != open {
		return 0, ErrWrite
	}
	size := len(p)
	if m.n > 0 {
		p = p[m.fill(p):]
	}
	if m.powers.mayPay(len(p)) {
		m.h = m.powers.absorb(active(), m.h, m.key, p[:len(p)&^(blockSize-1)])
	} else {
		m.h = m.h.blocks(m.key.r0, m.key.r1, p)
	}
	if tail := p[len(p)&^(blockSize-1):]; len(tail) > 0 {
		m.n = copy(m.rest[:], tail)
	}
	return size, nil
}

// fill moves bytes of p to the incomplete block until it is full or p is empty. It returns their number.
func (m *MAC) fill(p []byte) int {
	n := copy(m.rest[m.n:], p)
	if m.n += n; m.n == blockSize {
		m.h, m.n = m.h.blocks(m.key.r0, m.key.r1, m.rest[:]), 0
	}
	return n
}

// Sum closes the message and appends its tag to b. A second call appends the same tag.
func (m *MAC) Sum(b []byte) []byte {
	if m.stage == open {
		m.close()
	}
	return append(b, m.rest[:]...)
}

// Verify closes the message and reports whether expected is its tag. Its time does not depend on the tags.
func (m *MAC) Verify(expected []byte) bool {
	if m.stage == open {
		m.close()
	}
	return m.stage == closed && subtle.ConstantTimeCompare(m.rest[:], expected) == 1
}

// close computes the tag of an open message and wipes everything else. Like Wipe, it is not inlined, because the
// compiler could then remove some of the stores as dead.
//
//go:noinline
func (m *MAC) close() {
	h := m.h
	if m.n > 0 {
		h = h.last(m.key.r0, m.key.r1, m.rest[:m.n])
	}
	m.key.tag(&m.rest, h)
	m.key, m.h, m.n, m.stage = key{}, element{}, 0, closed
	m.powers.wipe()
}

// Wipe overwrites the key, and everything derived from it and from the message. Afterwards the MAC has no key.
//
//go:noinline
func (m *MAC) Wipe() {
	m.key, m.h, m.n, m.stage = key{}, element{}, 0, empty
	m.rest = [blockSize]byte{}
	m.powers.wipe()
}

// Format implements [fmt.Formatter] and shows nothing of the key or the message.
func (m MAC) Format(f fmt.State, _ rune) { io.WriteString(f, "poly1305.MAC") }
