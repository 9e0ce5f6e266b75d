package siphash

import (
	"encoding/binary"
	"slices"
)

// A kernel hashes groups of messages of equally many words, one in each lane of a vector.
type kernel struct {
	name  string
	lanes int  // messages in a group
	here  bool // whether this CPU has the instructions
}

// kernels lists those of this architecture, the best first. The last one is none: every message by itself.
var kernels = append(vectorKernels, kernel{"siphash_x1", 0, true})

// active is the kernel for all batches. Only tests change it.
var active = kernels[slices.IndexFunc(kernels, func(k kernel) bool { return k.here })]

const (
	maxLanes = 32
	maxWords = 16 // Longer messages have so many words that what surrounds them does not matter: one by one.
)

// worth is whether n messages, no more than lanes, are hashed faster as a group with empty lanes than one by one.
func (k kernel) worth(n int) bool { return k.lanes > 0 && n > k.lanes/4 }

// A batch has the words of messages, transposed, on their way to a kernel, and knows where the tags go: to one of two
// slices.
type batch struct {
	s      *state
	wide   bool
	narrow []uint64
	wides  []Uint128
	words  [maxWords * maxLanes]uint64
	tags   [2 * maxLanes]uint64
}

// one hashes a message by itself.
func (b *batch) one(i int, p []byte) {
	if b.wide {
		b.wides[i] = b.s.hashX(p)
	} else {
		b.narrow[i] = b.s.hash(p)
	}
}

// take is how many of the messages that are left, of n words each, are hashed together now.
func (b *batch) take(left, n int) int {
	lanes := active.lanes
	if lanes == 0 || n > maxWords {
		return 0
	}
	k := min(left, len(b.words)/(n*lanes)*lanes)
	if rest := k % lanes; !active.worth(rest) {
		k -= rest
	}
	return k
}

// place is where the first of the n words of message j goes. The next ones go active.lanes further each.
func (b *batch) place(j, n int) int {
	lane := j % active.lanes
	return (j-lane)*n + lane
}

// put brings the words of a message to a place.
func (b *batch) put(place int, p []byte) {
	m, lanes := b.s.mode, active.lanes
	last := m.fold(tail(p)) | uint64(len(p))<<56
	for ; len(p) >= 8; p = p[8:] {
		b.words[place] = m.fold(binary.LittleEndian.Uint64(p))
		place += lanes
	}
	b.words[place] = last
}

// run hashes the first k messages of n words that were put. Their tags begin at i.
func (b *batch) run(i, k, n int, length uint64) {
	lanes, group := active.lanes, 0
	if !b.wide && k >= lanes {
		group = k / lanes
		active.run(b.s, false, b.narrow[i:], b.words[:], group, n, length)
	}
	for ; group*lanes < k; group++ {
		active.run(b.s, b.wide, b.tags[:], b.words[group*n*lanes:], 1, n, length)
		for lane := range min(lanes, k-group*lanes) {
			b.tag(lane, i+group*lanes+lane)
		}
	}
}

// tag takes the tag of a lane to its place.
func (b *batch) tag(lane, i int) {
	if b.wide {
		b.wides[i] = Uint128{b.tags[lane], b.tags[active.lanes+lane]}
	} else {
		b.narrow[i] = b.tags[lane]
	}
}

// uint32s hashes integers of 4 bytes, each one word with its length.
func (b *batch) uint32s(src []uint32) {
	i := 0
	for k := b.take(len(src), 1); k > 0; k = b.take(len(src)-i, 1) {
		for j, x := range src[i : i+k] {
			b.words[j] = b.s.mode.fold(uint64(x)) | 4<<56
		}
		b.run(i, k, 1, 0)
		i += k
	}
	for ; i < len(src); i++ {
		if b.wide {
			b.wides[i] = b.s.hashUint32X(src[i])
		} else {
			b.narrow[i] = b.s.hashUint32(src[i])
		}
	}
}

// uint64s hashes integers of 8 bytes, a word each and the length.
func (b *batch) uint64s(src []uint64) {
	i := 0
	for k := b.take(len(src), 1); k > 0; k = b.take(len(src)-i, 1) {
		for j, x := range src[i : i+k] {
			b.words[j] = b.s.mode.fold(x)
		}
		b.run(i, k, 1, 8<<56)
		i += k
	}
	for ; i < len(src); i++ {
		if b.wide {
			b.wides[i] = b.s.hashUint64X(src[i])
		} else {
			b.narrow[i] = b.s.hashUint64(src[i])
		}
	}
}

// uint128s hashes integers of 16 bytes, two words each and the length.
func (b *batch) uint128s(src []Uint128) {
	i := 0
	for k := b.take(len(src), 2); k > 0; k = b.take(len(src)-i, 2) {
		for j, x := range src[i : i+k] {
			at := b.place(j, 2)
			b.words[at] = b.s.mode.fold(x.Lo)
			b.words[at+active.lanes] = b.s.mode.fold(x.Hi)
		}
		b.run(i, k, 2, 16<<56)
		i += k
	}
	for ; i < len(src); i++ {
		if b.wide {
			b.wides[i] = b.s.hashUint128X(src[i])
		} else {
			b.narrow[i] = b.s.hashUint128(src[i])
		}
	}
}

// rows hashes n messages of width bytes that follow each other.
func (b *batch) rows(data []byte, width, n int) {
	words := width/8 + 1
	i := 0
	for k := b.take(n, words); k > 0; k = b.take(n-i, words) {
		for j := range k {
			at := (i + j) * width
			b.put(b.place(j, words), data[at:at+width])
		}
		b.run(i, k, words, 0)
		i += k
	}
	for ; i < n; i++ {
		b.one(i, data[i*width:(i+1)*width])
	}
}

// chunk is how many messages are sorted by length at a time, so that their numbers have 16 bits.
const chunk = 1 << 16

// ragged hashes n messages of any lengths: those of equally many words wait until they fill a group.
func (b *batch) ragged(m *messages, n int) {
	if !active.worth(n) {
		for i := range n {
			b.one(i, m.at(i))
		}
		return
	}
	var waiting [maxWords + 1][maxLanes]uint16
	for start := 0; start < n; start += chunk {
		var count [maxWords + 1]int
		for i := range min(chunk, n-start) {
			p := m.at(start + i)
			words := len(p)/8 + 1
			if words > maxWords {
				b.one(start+i, p)
				continue
			}
			waiting[words][count[words]] = uint16(i)
			if count[words]++; count[words] == active.lanes {
				count[words] = 0
				b.group(m, start, words, waiting[words][:active.lanes])
			}
		}
		for words, k := range count {
			if list := waiting[words][:k]; active.worth(k) {
				b.group(m, start, words, list)
			} else {
				for _, i := range list {
					b.one(start+int(i), m.at(start+int(i)))
				}
			}
		}
	}
}

// group hashes the messages of a list, which have equally many words.
func (b *batch) group(m *messages, start, words int, list []uint16) {
	for lane, i := range list {
		b.put(lane, m.at(start+int(i)))
	}
	active.run(b.s, b.wide, b.tags[:], b.words[:], 1, words, 0)
	for lane, i := range list {
		b.tag(lane, start+int(i))
	}
}

// messages is a list of them in one of four layouts.
type messages struct {
	layout    layout
	strings   []string
	slices    [][]byte
	data      []byte
	offsets32 []int32
	offsets64 []int64
}

type layout uint8

const (
	inStrings layout = iota
	inSlices
	inOffsets32
	inOffsets64
)

// at is message i.
func (m *messages) at(i int) []byte {
	switch m.layout {
	case inStrings:
		return bytesOf(m.strings[i])
	case inSlices:
		return m.slices[i]
	case inOffsets32:
		return m.data[m.offsets32[i]:m.offsets32[i+1]]
	default:
		return m.data[m.offsets64[i]:m.offsets64[i+1]]
	}
}
