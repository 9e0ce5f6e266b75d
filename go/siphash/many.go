package siphash

import "slices"

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
	s      *start
	wide   bool
	narrow []uint64
	wides  []Uint128
	words  [maxWords * maxLanes]uint64
	tags   [2 * maxLanes]uint64
}

// one hashes a message by itself.
func (b *batch) one(i int, p []byte) {
	lo, hi := b.s.hash(p, b.wide)
	b.put(i, lo, hi)
}

// put takes a tag, of which hi is 0 if it is one of 64 bits, to its place.
func (b *batch) put(i int, lo, hi uint64) {
	if b.wide {
		b.wides[i] = Uint128{lo, hi}
	} else {
		b.narrow[i] = lo
	}
}

// take is how many of the integers that are left, of n words each, are hashed together now.
func (b *batch) take(left, n int) int {
	lanes := active.lanes
	if lanes == 0 {
		return 0
	}
	k := min(left, len(b.words)/(n*lanes)*lanes)
	if rest := k % lanes; !active.worth(rest) {
		k -= rest
	}
	return k
}

// run hashes k messages of n words each. Their tags begin at i.
func (b *batch) run(i, k, n int, length uint64) {
	lanes, group := active.lanes, 0
	if !b.wide && k >= lanes {
		group = k / lanes
		active.run(&b.s.state, false, b.narrow[i:], b.words[:], group, n, length)
	}
	for ; group*lanes < k; group++ {
		active.run(&b.s.state, b.wide, b.tags[:], b.words[group*n*lanes:], 1, n, length)
		at := i + group*lanes
		for lane := range min(lanes, k-group*lanes) {
			b.tag(lane, at+lane)
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
		lo, hi := b.s.hashUint32(src[i], b.wide)
		b.put(i, lo, hi)
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
			b.wides[i] = newUint128(b.s.hashUint64X(src[i]))
		} else {
			b.narrow[i] = b.s.hashUint64(src[i])
		}
	}
}

// uint128s hashes integers of 16 bytes, two words each and the length.
func (b *batch) uint128s(src []Uint128) {
	i := 0
	for k := b.take(len(src), 2); k > 0; k = b.take(len(src)-i, 2) {
		lanes := active.lanes
		for j := 0; j < k; j += lanes {
			low, high := b.words[2*j:2*j+lanes], b.words[2*j+lanes:2*j+2*lanes]
			for lane, x := range src[i+j : i+min(j+lanes, k)] {
				low[lane], high[lane] = b.s.mode.fold(x.Lo), b.s.mode.fold(x.Hi)
			}
		}
		b.run(i, k, 2, 16<<56)
		i += k
	}
	for ; i < len(src); i++ {
		lo, hi := b.s.hashUint128(src[i], b.wide)
		b.put(i, lo, hi)
	}
}

// A group is messages of equally many words, on their way to the lanes of a kernel.
type group struct {
	n        uint
	messages [maxLanes]*byte
	lengths  [maxLanes]uint8
}

// add puts p, whose length is known to have equally many words, into the next lane.
func (g *group) add(p []byte) {
	lane := g.n % maxLanes
	g.messages[lane], g.lengths[lane] = pointer(p), uint8(len(p))
	g.n++
}

// hash puts the tags of a group into dst, as a kernel does. Lanes without a message have the first one.
func (b *batch) hash(g *group, words int, dst []uint64) {
	lanes := active.lanes
	src := b.words[:]
	for lane := int(g.n); lane < lanes; lane++ {
		g.messages[lane], g.lengths[lane] = g.messages[0], g.lengths[0]
	}
	if words > 1 {
		transpose(src, &g.messages, &g.lengths, lanes, words)
	} else {
		for lane, n := range g.lengths[:lanes] {
			src[lane] = shortTail(message(g.messages[lane], n)) | uint64(n)<<56
		}
	}
	if b.s.mode&foldFlag != 0 {
		const length = 0xff << 56
		whole := (words - 1) * lanes
		for i, x := range src[:whole] {
			src[i] = b.s.mode.fold(x)
		}
		for i, x := range src[whole : whole+lanes] {
			src[whole+i] = b.s.mode.fold(x&^length) | x&length
		}
	}
	active.run(&b.s.state, b.wide, dst, src, 1, words, 0)
	g.n = 0
}

// rows hashes n messages of width bytes that follow each other.
func (b *batch) rows(data []byte, width, n int) {
	lanes, words := active.lanes, width/8+1
	i := 0
	if words <= maxWords {
		var g group
		for lane := range g.lengths {
			g.lengths[lane] = uint8(width)
		}
		for active.worth(min(n-i, lanes)) {
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

// ragged hashes n messages of any lengths: those of equally many words wait until they fill a group.
func (b *batch) ragged(m *messages, n int) {
	if !active.worth(min(n, active.lanes)) {
		for i := range n {
			b.one(i, m.at(i))
		}
		return
	}
	var groups [maxWords + 1]group
	var waiting [maxWords + 1][maxLanes]int
	for i := range n {
		p := m.at(i)
		words := len(p)/8 + 1
		if words > maxWords {
			b.one(i, p)
			continue
		}
		g := &groups[words]
		waiting[words][g.n%maxLanes] = i
		if g.add(p); g.n == uint(active.lanes) {
			b.hash(g, words, b.tags[:])
			b.scatter(waiting[words][:active.lanes])
		}
	}
	for words := range groups {
		g := &groups[words]
		list := waiting[words][:g.n]
		if active.worth(int(g.n)) {
			b.hash(g, words, b.tags[:])
			b.scatter(list)
			continue
		}
		for _, i := range list {
			b.one(i, m.at(i))
		}
	}
}

// scatter takes the tags of the first lanes to the places in the list.
func (b *batch) scatter(list []int) {
	if b.wide {
		for lane, i := range list {
			b.wides[i] = Uint128{b.tags[lane], b.tags[active.lanes+lane]}
		}
		return
	}
	for lane, i := range list {
		b.narrow[i] = b.tags[lane&(maxLanes-1)]
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
