package hashtest

import "math/bits"

// The definition, word by word and as plain as possible. All tests compare with it.

// A Word is the integer that an algorithm computes with.
type Word interface{ uint32 | uint64 }

// A Definition returns the tag of p as the reference implementation writes it: one word, or two if it is wide.
type Definition interface {
	Tag(key []byte, c, d int, wide bool, p []byte) []byte
}

// SipHash has words of 64 bits.
var SipHash Definition = &definition[uint64]{
	initial:   "uespemosmodnarodarenegylsetybdet",
	rotations: [...]uint{13, 32, 16, 21, 17, 32},
	end:       func(v [4]uint64) uint64 { return v[0] ^ v[1] ^ v[2] ^ v[3] },
}

// HalfSipHash has words of 32 bits.
var HalfSipHash Definition = &definition[uint32]{
	initial:   "\x00\x00\x00\x00\x00\x00\x00\x00egylbdet",
	rotations: [...]uint{5, 16, 8, 7, 13, 16},
	end:       func(v [4]uint32) uint32 { return v[1] ^ v[3] },
}

type definition[W Word] struct {
	initial   string // the initial state, before the key is xored in
	rotations [6]uint
	end       func(v [4]W) W
}

func size[W Word]() int { return bits.Len64(uint64(^W(0))) / 8 }

func rotl[W Word](x W, n uint) W { return x<<n | x>>(8*uint(size[W]())-n) }

// word returns the first bytes of p as a little-endian word.
func word[W Word](p []byte) (m W) {
	for i := size[W](); i > 0; i-- {
		m = m<<8 | W(p[i-1])
	}
	return m
}

func (f *definition[W]) rounds(v *[4]W, n int) {
	for range n {
		v[0] += v[1]
		v[1] = rotl(v[1], f.rotations[0])
		v[1] ^= v[0]
		v[0] = rotl(v[0], f.rotations[1])
		v[2] += v[3]
		v[3] = rotl(v[3], f.rotations[2])
		v[3] ^= v[2]
		v[0] += v[3]
		v[3] = rotl(v[3], f.rotations[3])
		v[3] ^= v[0]
		v[2] += v[1]
		v[1] = rotl(v[1], f.rotations[4])
		v[1] ^= v[2]
		v[2] = rotl(v[2], f.rotations[5])
	}
}

// Tag implements [Definition].
func (f *definition[W]) Tag(key []byte, c, d int, wide bool, p []byte) []byte {
	size := size[W]()
	var v [4]W
	for i := range v {
		v[i] = word[W]([]byte(f.initial)[i*size:]) ^ word[W](key[i%2*size:])
	}
	if wide {
		v[1] ^= 0xee
	}
	padded := append(append([]byte{}, p...), make([]byte, size-len(p)%size)...)
	padded[len(padded)-1] = byte(len(p))
	for ; len(padded) > 0; padded = padded[size:] {
		m := word[W](padded)
		v[3] ^= m
		f.rounds(&v, c)
		v[0] ^= m
	}
	var tag []byte
	finish := func() {
		f.rounds(&v, d)
		x := f.end(v)
		for i := range size {
			tag = append(tag, byte(x>>(8*i)))
		}
	}
	if !wide {
		v[2] ^= 0xff
		finish()
		return tag
	}
	v[2] ^= 0xee
	finish()
	v[1] ^= 0xdd
	finish()
	return tag
}

// lower converts ASCII capitals to lower case.
func lower(p []byte) []byte {
	q := append([]byte{}, p...)
	for i, b := range q {
		if 'A' <= b && b <= 'Z' {
			q[i] = b + 0x20
		}
	}
	return q
}
