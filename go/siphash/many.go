package siphash

import (
	"encoding/binary"

	"keylane.example/go/internal/dispatch"
	"keylane.example/go/kernels"
)

// A kernel hashes groups of messages of equally many words, one in each lane of a vector.
type kernel struct {
	lanes int // messages in a group; the last kernel hashes one message at a time, without groups
}

// slot has the kernels of this architecture.
var slot = dispatch.Slot[kernel]{
	Name:   "siphash-xn",
	Rows:   append(vectorKernels, dispatch.Row[kernel]{Name: "siphash_x1", Here: true}),
	Passes: (*kernel).passes,
}

// active returns the kernel to use, and chooses one at the first call. It is inlined.
func active() (k *kernel) {
	if k = slot.Chosen.Load(); k == nil {
		k = choose()
	}
	return
}

//go:noinline
func choose() *kernel { return slot.Choose() }

// Kernels lists the kernels for many messages, best first, and runs their self-tests.
func Kernels() []kernels.Kernel { return slot.Kernels() }

// maxWords is the longest message of a group, in words. In a longer one the rounds outweigh all overhead, so it
// is hashed alone.
const maxWords = 16

// profitable reports whether a group of n <= k.lanes messages, some lanes empty, is faster than one message at a
// time.
func (k *kernel) profitable(n int) bool { return k.lanes > 0 && n > k.lanes/4 }

// pays is profitable for messages that have to be transposed. That costs nearly as much as a hash with few rounds saves, so
// then more lanes have to be full.
func (b *batch) pays(n int) bool {
	least := b.k.lanes / 4
	if b.s.mode <= mode13 {
		least *= quarters
	}
	return b.k.lanes > 0 && n > least
}

// fewRows reports whether n rows are few.
func (s *start) fewRows(n int) bool { return n <= fewRows || n <= fewRows13 && s.mode <= mode13 }

// few reports whether n messages of any lengths are few. With fewer rounds, a group that is not full pays off later.
func (s *start) few(n int) bool { return n <= fewMessages || n <= 2*fewMessages && s.mode <= mode13 }

// A batch holds the transposed words of messages for a kernel, and the slice that the tags go to.
type batch struct {
	k      *kernel
	s      *start
	wide   bool
	narrow []uint64
	wides  []Uint128
	words  [maxWords * maxLanes]word
	tags   [2 * maxLanes]word
}

// one hashes message i, which is p, alone.
func (b *batch) one(i int, p []byte) {
	if b.wide {
		b.wides[i] = b.s.hashX(p)
	} else {
		b.narrow[i] = b.s.hash(p)
	}
}

// take returns how many of the remaining integers, of n words each, to hash together now.
func (b *batch) take(left, n int) int {
	lanes := b.k.lanes
	if lanes == 0 {
		return 0
	}
	k := min(left, len(b.words)/(n*lanes)*lanes)
	if rest := k % lanes; !b.k.profitable(rest) {
		k -= rest
	}
	return k
}

// run hashes k messages of n words each. The first tag is tag i.
func (b *batch) run(i, k, n int, length word) {
	lanes, group := b.k.lanes, 0
	if !b.wide && k >= lanes {
		group = k / lanes
		b.k.run(&b.s.state, false, b.narrow[i:], b.words[:], group, n, length)
	}
	for ; group*lanes < k; group++ {
		b.k.run(&b.s.state, b.wide, b.tags[:], b.words[group*n*lanes:], 1, n, length)
		at := i + group*lanes
		for lane := range min(lanes, k-group*lanes) {
			b.tag(lane, at+lane)
		}
	}
}

// tag stores the tag of a lane as tag i.
func (b *batch) tag(lane, i int) {
	if b.wide {
		b.wides[i] = newUint128(b.tags[lane], b.tags[b.k.lanes+lane])
	} else {
		b.narrow[i] = b.tags[lane]
	}
}

// uint64s hashes integers of 8 bytes: a message is one word, and the length.
func (b *batch) uint64s(src []uint64) {
	i := 0
	for k := b.take(len(src), 1); k > 0; k = b.take(len(src)-i, 1) {
		for j, x := range src[i : i+k] {
			b.words[j] = b.s.mode.fold(x)
		}
		b.run(i, k, 1, wordSize<<lengthShift)
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

// uint128s hashes integers of 16 bytes: a message is two words, and the length.
func (b *batch) uint128s(src []Uint128) {
	i := 0
	for k := b.take(len(src), 2); k > 0; k = b.take(len(src)-i, 2) {
		lanes := b.k.lanes
		for j := 0; j < k; j += lanes {
			low, high := b.words[2*j:2*j+lanes], b.words[2*j+lanes:2*j+2*lanes]
			for lane, x := range src[i+j : i+min(j+lanes, k)] {
				lo, hi := split(x)
				low[lane], high[lane] = b.s.mode.fold(lo), b.s.mode.fold(hi)
			}
		}
		b.run(i, k, 2, 2*wordSize<<lengthShift)
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

// A group collects messages of equally many words for the lanes of a kernel.
type group struct {
	n        uint
	messages [maxLanes]*byte
	lengths  [maxLanes]uint8
}

// hash puts the tags of a group into dst, in the order of the kernel. An empty lane repeats the first message.
func (b *batch) hash(g *group, words int, dst []word) {
	lanes := b.k.lanes
	src := b.words[:]
	for lane := int(g.n); lane < lanes; lane++ {
		g.messages[lane], g.lengths[lane] = g.messages[0], g.lengths[0]
	}
	if words > 1 {
		transpose(src, &g.messages, &g.lengths, lanes, words)
	} else {
		for lane, n := range g.lengths[:lanes] {
			src[lane] = shortTail(message(g.messages[lane], n)) | word(n)<<lengthShift
		}
	}
	if b.s.mode&foldFlag != 0 {
		const length = 0xff << lengthShift
		whole := (words - 1) * lanes
		for i, x := range src[:whole] {
			src[i] = b.s.mode.fold(x)
		}
		for i, x := range src[whole : whole+lanes] {
			src[whole+i] = b.s.mode.fold(x&^length) | x&length
		}
	}
	b.k.run(&b.s.state, b.wide, dst, src, 1, words, 0)
	g.n = 0
}

// rows hashes n adjacent messages of width bytes.
func (b *batch) rows(data []byte, width, n int) {
	lanes, words := b.k.lanes, width/wordSize+1
	i := 0
	if words <= maxWords {
		var g group
		for lane := range g.lengths {
			g.lengths[lane] = uint8(width)
		}
		for b.pays(min(n-i, lanes)) {
			k := min(n-i, lanes)
			rows := data[i*width : (i+k)*width]
			for lane := range k {
				g.messages[lane] = pointer(rows[lane*width:])
			}
			g.n = uint(k)
			if k == lanes && !b.wide {
				b.hash(&g, words, b.narrow[i:i+k])
			} else {
				b.hash(&g, words, b.tags[:])
				for lane := range k {
					b.tag(lane, i+lane)
				}
			}
			i += k
		}
	}
	for ; i < n; i++ {
		b.one(i, data[i*width:(i+1)*width])
	}
}

// fill estimates whether n > 0 messages fill groups of k. If not, most would wait for a group in vain, and one at a time is
// faster.
func (m *messages) fill(k *kernel, n int) bool {
	return k.lanes > 0 && 4*n > quarters*k.lanes*m.spread(n)
}

// ragged hashes n messages of any lengths. Messages of equally many words wait until they fill a group.
func (b *batch) ragged(m *messages, n int) {
	if b.k.lanes == 0 {
		for i := range n {
			b.one(i, m.at(i))
		}
		return
	}
	var groups [maxWords + 1]group
	var waiting [maxWords + 1][maxLanes]int
	for i := range n {
		p := m.at(i)
		words := len(p)/wordSize + 1
		if words > maxWords {
			b.one(i, p)
			continue
		}
		// Not through g: then the message would escape, and with it the caller's variables.
		g, lane := &groups[words], groups[words].n%maxLanes
		groups[words].messages[lane], g.lengths[lane], waiting[words][lane] = pointer(p), uint8(len(p)), i
		if g.n++; g.n == uint(b.k.lanes) {
			b.hash(g, words, b.tags[:])
			b.scatter(waiting[words][:b.k.lanes])
		}
	}
	for words := range groups {
		g := &groups[words]
		list := waiting[words][:g.n]
		if b.pays(int(g.n)) {
			b.hash(g, words, b.tags[:])
			b.scatter(list)
			continue
		}
		for _, i := range list {
			b.one(i, m.at(i))
		}
	}
}

// scatter stores the tag of lane k as tag list[k].
func (b *batch) scatter(list []int) {
	if b.wide {
		for lane, i := range list {
			b.wides[i] = newUint128(b.tags[lane], b.tags[b.k.lanes+lane])
		}
		return
	}
	for lane, i := range list {
		b.narrow[i] = b.tags[lane&(maxLanes-1)]
	}
}

// spread estimates how many different numbers of words n > 0 messages have: it looks at a few of them.
func (m *messages) spread(n int) int {
	const samples = 8
	least, most := maxWords+1, 0
	for k := range samples {
		words := min(len(m.at(n/samples*k))/wordSize, maxWords)
		least, most = min(least, words), max(most, words)
	}
	return most - least + 1
}

// messages is a list of messages in one of five layouts.
type messages struct {
	layout    layout
	strings   []string
	slices    [][]byte
	data      []byte
	offsets32 []int32
	offsets64 []int64
	views     [][viewSize]byte
	buffers   [][]byte
}

type layout uint8

const (
	inStrings layout = iota
	inSlices
	inOffsets32
	inOffsets64
	inViews
)

// A view is four little-endian numbers of 32 bits: the length of a message, its prefix, its buffer, its offset there.
// A message of up to inline bytes stands behind the length instead.
const (
	viewSize = 16
	inline   = 12
)

// number returns one of the numbers of a view.
func number(view *[viewSize]byte, at int) uint { return uint(binary.LittleEndian.Uint32(view[at:])) }

// at returns message i.
func (m *messages) at(i int) []byte {
	switch m.layout {
	case inStrings:
		return bytesOf(m.strings[i])
	case inSlices:
		return m.slices[i]
	case inOffsets32:
		return m.data[m.offsets32[i]:m.offsets32[i+1]]
	case inViews:
		buffer, at, length, mask := inBuffer(&m.views[i])
		if mask == 0 {
			return m.views[i][4:][:length]
		}
		return m.buffers[buffer][at:][:length]
	default:
		return m.data[m.offsets64[i]:m.offsets64[i+1]]
	}
}

// inBuffer returns the length of a message, and where it is: its buffer and its place there. No branch predictor knows
// which messages are in a buffer, so the others count as empty ones of the first. For them the mask is 0, else all ones.
func inBuffer(view *[viewSize]byte) (buffer, at, length, mask uint) {
	length = number(view, 0)
	mask = uint((inline - int64(length)) >> 63)
	return number(view, 8) & mask, number(view, 12) & mask, length, mask
}

// fits reports whether a message of this size is at this place of its buffer.
func fits(buffer []byte, at, size uint) bool {
	return size <= 1<<31-1 && at <= uint(len(buffer)) && size <= uint(len(buffer))-at
}

// noBuffers stands for the buffers if there are none.
var noBuffers [1][]byte
