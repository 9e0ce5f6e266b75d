package siphash

// The definition, word by word and as plainly as can be: what everything here is compared with.

func rotl(x uint64, n int) uint64 { return x<<n | x>>(64-n) }

func referenceRounds(v *[4]uint64, n int) {
	for range n {
		v[0] += v[1]
		v[1] = rotl(v[1], 13)
		v[1] ^= v[0]
		v[0] = rotl(v[0], 32)
		v[2] += v[3]
		v[3] = rotl(v[3], 16)
		v[3] ^= v[2]
		v[0] += v[3]
		v[3] = rotl(v[3], 21)
		v[3] ^= v[0]
		v[2] += v[1]
		v[1] = rotl(v[1], 17)
		v[1] ^= v[2]
		v[2] = rotl(v[2], 32)
	}
}

// referenceWord puts up to 8 bytes together, the first the lowest.
func referenceWord(p []byte) (m uint64) {
	for i, b := range p {
		m += uint64(b) << (8 * i)
	}
	return m
}

// reference is the tag of p as the reference prints it, of 8 or 16 bytes.
func reference(key []byte, c, d int, wide bool, p []byte) []byte {
	k0, k1 := referenceWord(key[:8]), referenceWord(key[8:])
	v := [4]uint64{
		k0 ^ referenceWord([]byte("uespemos")),
		k1 ^ referenceWord([]byte("modnarod")),
		k0 ^ referenceWord([]byte("arenegyl")),
		k1 ^ referenceWord([]byte("setybdet")),
	}
	if wide {
		v[1] ^= 0xee
	}
	length := byte(len(p))
	padded := append(append([]byte{}, p...), make([]byte, 8-len(p)%8)...)
	padded[len(padded)-1] = length
	for ; len(padded) > 0; padded = padded[8:] {
		m := referenceWord(padded[:8])
		v[3] ^= m
		referenceRounds(&v, c)
		v[0] ^= m
	}
	var tag []byte
	finish := func() {
		referenceRounds(&v, d)
		x := v[0] ^ v[1] ^ v[2] ^ v[3]
		for i := range 8 {
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

// referenceFold makes lower-case letters of ASCII capitals.
func referenceFold(p []byte) []byte {
	q := append([]byte{}, p...)
	for i, b := range q {
		if 'A' <= b && b <= 'Z' {
			q[i] = b + 0x20
		}
	}
	return q
}
