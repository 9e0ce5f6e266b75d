package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"

	"keylane.example/go/poly1305"
)

// A Packet is one message of a batch: the arguments of Seal or Open, and the result.
type Packet struct {
	// Dst is what the sealed or opened text is appended to, and then the result.
	Dst []byte
	// Nonce must be another one for each packet.
	Nonce []byte
	// Src is the text, or the ciphertext and its tag. Dst may begin where Src does, as Src[:0].
	Src []byte
	// AdditionalData is authenticated only.
	AdditionalData []byte
	// IsGood says whether OpenMany has opened the packet. SealMany ignores it.
	IsGood bool
}

// SealMany seals packets under one key. For each packet p it does
//
//	p.Dst = aead.Seal(p.Dst, p.Nonce, p.Src, p.AdditionalData)
//
// It panics as Seal does, and then has sealed nothing. What one packet is sealed to must not overlap what another one
// reads or is sealed to; this is not checked. An aead that [New] and [NewX] have not returned is called packet by packet.
func SealMany(aead cipher.AEAD, packets []Packet) {
	c, isOurs := aead.(*sealer)
	if !isOurs {
		for i := range packets {
			p := &packets[i]
			p.Dst = aead.Seal(p.Dst, p.Nonce, p.Src, p.AdditionalData)
		}
		return
	}
	for i := range packets {
		p := &packets[i]
		c.checkSeal(p.Nonce, p.Src)
		checkOverlap(room(p.Dst, len(p.Src)+Overhead), p.Src, p.AdditionalData)
	}
	if !many().pays(len(packets)) {
		for i := range packets {
			p := &packets[i]
			p.Dst = c.Seal(p.Dst, p.Nonce, p.Src, p.AdditionalData)
		}
		return
	}
	c.batches(packets, false)
}

// OpenMany opens packets under one key. For each packet p that was sealed so, it sets p.IsGood and appends the text to
// p.Dst. For a forged one it clears p.IsGood and sets p.Dst to nil, as Open returns it. If there is any, it returns
// [ErrOpen].
//
// It panics as Open does, and then has opened nothing. What one packet is opened to must not overlap what another one
// reads or is opened to; this is not checked. An aead that [New] and [NewX] have not returned is called packet by packet.
func OpenMany(aead cipher.AEAD, packets []Packet) error {
	c, isOurs := aead.(*sealer)
	if isOurs {
		for i := range packets {
			p := &packets[i]
			if c.checkOpen(p.Nonce, p.Src) {
				n := len(p.Src) - Overhead
				checkOverlap(room(p.Dst, n), p.Src[:n], p.AdditionalData)
			}
		}
	}
	if isOurs && many().pays(len(packets)) {
		c.batches(packets, true)
	} else {
		for i := range packets {
			p := &packets[i]
			opened, err := aead.Open(p.Dst, p.Nonce, p.Src, p.AdditionalData)
			p.Dst, p.IsGood = opened, err == nil
		}
	}
	for i := range packets {
		if !packets[i].IsGood {
			return ErrOpen
		}
	}
	return nil
}

// room returns the n bytes behind dst, or nil if its capacity is too small.
func room(dst []byte, n int) []byte {
	if n > cap(dst)-len(dst) {
		return nil
	}
	return dst[len(dst) : len(dst)+n]
}

const (
	// lanes is the number of blocks that a kernel for many messages takes.
	lanes = 16
	// At most mostPackets are done together, and at most mostBytes, but leastPackets at least. Their ciphertexts then stay
	// in L2.
	mostPackets, leastPackets, mostBytes = 32, 8, 128 << 10
	// fewestPackets are done together. Fewer ones are done one by one.
	fewestPackets = 4
	// bulk is the number of bytes that the kernel for one message takes at a time.
	bulk = lanes * blockSize
)

// A table has words 4 to 15 of the inputs of blocks. Word i of the block in lane j is at lanes * (i - 4) + j.
type table [12 * lanes]uint32

// set puts block number counter of a message into a lane. If the key is there already, hasKey is true.
func (t *table) set(lane int, s *state, counter uint32, hasKey bool) {
	t = (*table)(t[:])
	lane &= lanes - 1
	if !hasKey {
		for i, word := range s.key {
			t[lanes*i+lane] = word
		}
	}
	t[lanes*8+lane], t[lanes*9+lane] = counter, uint32(s.first>>32)
	t[lanes*10+lane], t[lanes*11+lane] = uint32(s.last), uint32(s.last>>32)
}

// stream writes the key stream of the first n lanes, in Go.
func (t *table) stream(out *[lanes * blockSize]byte, n int) {
	for lane := range n {
		var s state
		for i := range s.key {
			s.key[i] = t[lanes*i+lane]
		}
		s.first = uint64(t[lanes*8+lane]) | uint64(t[lanes*9+lane])<<32
		s.last = uint64(t[lanes*10+lane]) | uint64(t[lanes*11+lane])<<32
		s.xorBlocks(out[blockSize*lane:][:blockSize], zeros[:blockSize])
	}
}

// A batch is the memory of a call with many packets.
type batch struct {
	key       *[8]uint32
	many      *together
	one       *kernel
	isOpening bool
	isX       bool

	states [mostPackets]state
	keys   [mostPackets][poly1305.KeySize]byte // for Poly1305
	tags   [mostPackets][Overhead]byte

	table  table
	stream [lanes * blockSize]byte
	used   int          // lanes that have a block
	pieces [lanes]piece // what the lanes are for
	count  int          // of pieces
}

// A piece is consecutive blocks of a packet in the lanes.
type piece struct {
	kind     kind
	lane     int // the first one
	packet   int
	from, to int // of a text
}

type kind uint8

const (
	subkeys kind = iota // the block that makes XChaCha20's subkey
	oneTime             // block 0
	texts
)

// batches seals or opens packets.
func (c *sealer) batches(packets []Packet, isOpening bool) {
	b := batch{key: &c.key, many: many(), one: active(), isOpening: isOpening, isX: c.isExtended}
	if !b.isX {
		// All lanes have this key, whatever their blocks.
		for i, word := range c.key {
			for lane := range lanes {
				b.table[lanes*i+lane] = word
			}
		}
	}
	for len(packets) > 0 {
		n, size := 0, 0
		for n < len(packets) && n < mostPackets && (n < leastPackets || size < mostBytes) {
			size += len(packets[n].Src)
			n++
		}
		b.start(packets[:n])
		if isOpening {
			b.open(packets[:n])
		} else {
			b.seal(packets[:n])
		}
		packets = packets[n:]
	}
	b.wipe()
}

// wipe is not inlined, because the compiler could then remove the stores as dead.
//
//go:noinline
func (b *batch) wipe() { *b = batch{} }

// start sets the states to block 0 of each packet.
func (b *batch) start(packets []Packet) {
	for i := range packets {
		s, nonce := &b.states[i], packets[i].Nonce
		s.key = *b.key
		if b.isX {
			s.first, s.last = binary.LittleEndian.Uint64(nonce), binary.LittleEndian.Uint64(nonce[8:])
			b.add(packets, piece{kind: subkeys, packet: i}, s.counter(), 1)
			continue
		}
		s.first = uint64(binary.LittleEndian.Uint32(nonce)) << 32
		s.last = binary.LittleEndian.Uint64(nonce[4:])
	}
	b.flush(packets)
}

// seal encrypts the packets, and makes their tags when all ciphertexts are there.
func (b *batch) seal(packets []Packet) {
	for i := range packets {
		p := &packets[i]
		p.Dst, _ = grow(p.Dst, len(p.Src)+Overhead)
		b.add(packets, piece{kind: oneTime, packet: i}, 0, 1)
		b.text(packets, i)
	}
	b.flush(packets)
	b.authenticate(packets)
	for i := range packets {
		p := &packets[i]
		copy(p.Dst[len(p.Dst)-Overhead:], b.tags[i][:])
	}
}

// open computes the tags of the packets, and then decrypts those whose tags are right.
func (b *batch) open(packets []Packet) {
	for i := range packets {
		b.add(packets, piece{kind: oneTime, packet: i}, 0, 1)
	}
	b.flush(packets)
	b.authenticate(packets)
	for i := range packets {
		p := &packets[i]
		n := len(p.Src) - Overhead
		p.IsGood = n >= 0 && equal(&b.tags[i], (*[Overhead]byte)(p.Src[n:]))
		if !p.IsGood {
			p.Dst = nil
			continue
		}
		p.Dst, _ = grow(p.Dst, n)
		b.text(packets, i)
	}
	b.flush(packets)
}

// authenticate computes the tags of the ciphertexts. One that is too short for a tag gets any.
func (b *batch) authenticate(packets []Packet) {
	const most = 8 // as many as Poly1305 does together
	for first := 0; first < len(packets); first += most {
		var additionalData, ciphertexts [most][]byte
		group := packets[first:min(first+most, len(packets))]
		for i := range group {
			p := &group[i]
			additionalData[i] = p.AdditionalData
			if !b.isOpening {
				ciphertexts[i], _ = b.place(p)
			} else if n := len(p.Src) - Overhead; n >= 0 {
				ciphertexts[i] = p.Src[:n]
			}
		}
		n := len(group)
		poly1305.SumManyAEAD(b.tags[first:first+n], b.keys[first:first+n], additionalData[:n], ciphertexts[:n])
	}
}

// place returns where a packet's text goes, and where it comes from.
func (b *batch) place(p *Packet) (dst, src []byte) {
	if b.isOpening {
		src = p.Src[:len(p.Src)-Overhead]
		return p.Dst[len(p.Dst)-len(src):], src
	}
	dst = p.Dst[len(p.Dst)-Overhead-len(p.Src):]
	return dst[:len(p.Src)], p.Src
}

// text encrypts or decrypts a packet's text: what fills all lanes alone at once, and the rest together with others.
func (b *batch) text(packets []Packet, i int) {
	dst, src := b.place(&packets[i])
	s := &b.states[i]
	s.skip(1)
	from := len(src) &^ (bulk - 1)
	b.one.xor(dst[:from], src[:from], s)
	for from < len(src) {
		blocks := min(wholeBlocks(len(src)-from), lanes-b.used)
		to := min(len(src), from+blocks*blockSize)
		if blocks > 0 {
			b.add(packets, piece{kind: texts, packet: i, from: from, to: to}, s.counter(), blocks)
			s.skip(blocks)
		} else {
			b.flush(packets)
		}
		from = to
	}
}

// add puts blocks of a packet into the next lanes.
func (b *batch) add(packets []Packet, p piece, counter uint32, blocks int) {
	if b.used == lanes {
		b.flush(packets)
	}
	p.lane = b.used
	for i := range blocks {
		b.table.set(b.used+i, &b.states[p.packet], counter+uint32(i), !b.isX)
	}
	b.used += blocks
	b.pieces[b.count] = p
	b.count++
}

// flush computes the blocks in the lanes and gives them to their packets.
func (b *batch) flush(packets []Packet) {
	if b.used == 0 {
		return
	}
	b.many.stream(&b.stream, &b.table, b.used)
	for i := range b.pieces[:b.count] {
		p := &b.pieces[i]
		stream := b.stream[blockSize*p.lane:]
		switch p.kind {
		case subkeys:
			s, nonce := &b.states[p.packet], packets[p.packet].Nonce
			s.subkey((*[blockSize]byte)(stream), nonce)
			s.first, s.last = 0, binary.LittleEndian.Uint64(nonce[16:])
		case oneTime:
			b.keys[p.packet] = [poly1305.KeySize]byte(stream)
		case texts:
			dst, src := b.place(&packets[p.packet])
			subtle.XORBytes(dst[p.from:p.to], src[p.from:p.to], stream)
		}
	}
	b.used, b.count = 0, 0
}
