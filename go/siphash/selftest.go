package siphash

import (
	"encoding/binary"

	"keylane.example/go/internal/selftest"
)

// The known answers that a kernel must give before it may be used. They catch a kernel that this CPU, emulator or
// compiler gets wrong. They do not replace the tests.

// A trial is what the self-test of a kernel works on.
type trial struct {
	batch
	start start
	sum   selftest.Sum // of all tags so far
	tags  struct {
		narrow [selftest.Messages]uint64
		wide   [selftest.Messages]Uint128
	}
	bytes     [selftest.Size]byte
	slices    [selftest.Messages][]byte
	offsets32 [selftest.Messages + 1]int32
	offsets64 [selftest.Messages + 1]int64
	views     [selftest.Messages][viewSize]byte
	buffers   [2][]byte
	rows      [wordSize * maxLanes * maxWords]byte
}

// passes reports whether k gives the known answers.
//
// It is not inlined, so its caller needs no memory for it. Pointers into t are stored here, since t would escape if a
// method stored them.
//
//go:noinline
func (k *kernel) passes() bool {
	var t trial
	t.k, t.s, t.narrow, t.wides = k, &t.start, t.tags.narrow[:], t.tags.wide[:]
	t.prepare()
	for i, at := range t.offsets32[1:] {
		t.slices[i] = t.bytes[t.offsets32[i]:at]
	}
	t.buffers = [...][]byte{t.bytes[:], t.bytes[:]}
	for i, wide := range [...]bool{false, true} {
		for j, rounds := range selftest.Rounds {
			t.begin(rounds, wide)
			if t.messages(j == 0); t.sum != answers[i].messages[j] {
				return false
			}
		}
		t.begin([2]uint8{1, 3}, wide)
		if t.lengths(); t.sum != answers[i].lengths {
			return false
		}
	}
	return true
}

func (t *trial) prepare() {
	selftest.Input(t.bytes[:])
	at := selftest.First
	for i := range t.offsets32 {
		t.offsets32[i], t.offsets64[i] = int32(at), int64(at)
		at += i % selftest.Lengths
	}
	for i := range t.views {
		view, n := &t.views[i], i%selftest.Lengths
		copy(view[4:], "what nobody reads")
		binary.LittleEndian.PutUint32(view[:], uint32(n))
		if n <= inline {
			copy(view[4:4+n], t.bytes[t.offsets32[i]:])
			continue
		}
		binary.LittleEndian.PutUint32(view[8:], uint32(i%len(t.buffers)))
		binary.LittleEndian.PutUint32(view[12:], uint32(t.offsets32[i]))
	}
	for i := range len(t.rows) / 8 {
		lo, _ := selftest.Integer(i)
		binary.LittleEndian.PutUint64(t.rows[8*i:], lo)
	}
}

// begin takes the key 00 01 02 ...
func (t *trial) begin(rounds [2]uint8, wide bool) {
	var key [KeySize]byte
	for i := range key {
		key[i] = byte(i)
	}
	m, _ := newMode(rounds[0], rounds[1])
	t.wide, t.sum = wide, 0
	if t.start = newStart(&key, m, 0); wide {
		t.start = newStart(&key, m, wideMark)
	}
}

// add adds the first n tags to the checksum.
func (t *trial) add(n int) {
	if !t.wide {
		for _, tag := range t.narrow[:n] {
			t.sum = selftest.Plus(t.sum, tag, 0)
		}
		return
	}
	for _, tag := range t.wides[:n] {
		t.sum = plusWide(t.sum, tag)
	}
}

// messages hashes batches in every layout. Three of them differ in nothing but the layout, so they come only once.
func (t *trial) messages(once bool) {
	const n = selftest.Messages
	if once {
		t.ragged(&messages{layout: inOffsets64, data: t.bytes[:], offsets64: t.offsets64[:]}, n)
		t.add(n)
		t.ragged(&messages{layout: inViews, views: t.views[:], buffers: t.buffers[:]}, n)
		t.add(n)
		t.batch.rows(t.bytes[:], selftest.Width, n)
		t.add(n)
	}
	t.ragged(&messages{layout: inOffsets32, data: t.bytes[:], offsets32: t.offsets32[:]}, n)
	t.add(n)
	t.start.mode |= foldFlag
	t.ragged(&messages{layout: inSlices, slices: t.slices[:]}, n)
	t.start.mode &^= foldFlag
	t.add(n)
	t.integers()
}

// lengths hashes messages of each length in every lane, up to the longest message of a group.
func (t *trial) lengths() {
	for width := range maxWords * wordSize {
		t.batch.rows(t.rows[:], width, maxLanes)
		t.add(maxLanes)
	}
}
