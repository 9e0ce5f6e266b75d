package siphash

import (
	"encoding/binary"
	"fmt"
)

// pieces is a message that arrives in pieces.
type pieces struct {
	start, s state
	wait     word // the bytes after the last whole word
	n        uint // length so far; it may wrap around, since the tag uses its lowest byte only
}

func (d *pieces) write(p []byte) {
	if at := d.n % wordSize; at != 0 {
		// Complete the word.
		k := min(wordSize-int(at), len(p))
		d.wait |= tail(p[:k]) << (8 * at)
		d.n += uint(k)
		if p = p[k:]; d.n%wordSize != 0 {
			return
		}
		d.s.absorb(d.s.mode.fold(d.wait))
	}
	d.s.words(p)
	d.wait = tail(p)
	d.n += uint(len(p))
}

// end returns the state of the whole message, padding included.
func (d *pieces) end() state {
	s := d.s
	s.absorb(d.s.mode.fold(d.wait) | word(d.n)<<lengthShift)
	return s
}

func (d *pieces) reset() { *d = pieces{start: d.start, s: d.start} }

// A Stream is a message that arrives in pieces: a [hash.Hash64]. Its tag is that of [Hasher.Hash] for all bytes
// written. A copy of a Stream continues independently from the same point. The zero value is useless.
type Stream struct{ d pieces }

// Stream returns an empty message.
func (h Hasher) Stream() Stream { return Stream{pieces{start: h.s.state, s: h.s.state}} }

// Write adds p to the message. It never fails.
func (d *Stream) Write(p []byte) (int, error) {
	d.d.write(p)
	return len(p), nil
}

// WriteString adds the bytes of s. It never fails.
func (d *Stream) WriteString(s string) (int, error) { return d.Write(bytesOf(s)) }

// Sum64 returns the tag of all bytes written so far. More may follow.
func (d *Stream) Sum64() uint64 { s := d.d.end(); return s.tag() }

// Sum appends the 8 bytes of the tag to b in little-endian order, as the reference implementation does.
func (d *Stream) Sum(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, d.Sum64()) }

// Reset begins a new message under the same key.
func (d *Stream) Reset() { d.d.reset() }

// Size returns 8.
func (d *Stream) Size() int { return wordSize }

// BlockSize returns 8.
func (d *Stream) BlockSize() int { return wordSize }

// Wipe overwrites the stream, which is useless afterwards.
//
// It is not inlined, because the compiler could then remove the store as dead.
//
//go:noinline
func (d *Stream) Wipe() { *d = Stream{} }

// Format implements [fmt.Formatter] and shows nothing of the key or the message.
func (d Stream) Format(f fmt.State, _ rune) { d.d.s.mode.format(f, "siphash.Stream") }

// A StreamX is a [Stream] for tags of 128 bits: a [hash.Hash].
type StreamX struct{ d pieces }

// Stream returns an empty message.
func (h HasherX) Stream() StreamX { return StreamX{pieces{start: h.s.state, s: h.s.state}} }

// Write adds p to the message. It never fails.
func (d *StreamX) Write(p []byte) (int, error) {
	d.d.write(p)
	return len(p), nil
}

// WriteString adds the bytes of s. It never fails.
func (d *StreamX) WriteString(s string) (int, error) { return d.Write(bytesOf(s)) }

// Sum128 returns the tag of all bytes written so far. More may follow.
func (d *StreamX) Sum128() Uint128 { s := d.d.end(); return s.tagX() }

// Sum appends the 16 bytes of the tag to b in little-endian order, as the reference implementation does.
func (d *StreamX) Sum(b []byte) []byte { return appendUint128(b, d.Sum128()) }

// Reset begins a new message under the same key.
func (d *StreamX) Reset() { d.d.reset() }

// Size returns 16.
func (d *StreamX) Size() int { return 2 * wordSize }

// BlockSize returns 8.
func (d *StreamX) BlockSize() int { return wordSize }

// Wipe overwrites the stream, which is useless afterwards.
//
// It is not inlined, because the compiler could then remove the store as dead.
//
//go:noinline
func (d *StreamX) Wipe() { *d = StreamX{} }

// Format implements [fmt.Formatter] and shows nothing of the key or the message.
func (d StreamX) Format(f fmt.State, _ rune) { d.d.s.mode.format(f, "siphash.StreamX") }
