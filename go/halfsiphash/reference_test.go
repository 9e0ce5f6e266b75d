package halfsiphash

// The definition, word by word and as plainly as can be: what everything here is compared with.

func rotl(x uint32, n int) uint32 { return x<<n | x>>(32-n) }

func referenceRounds(v *[4]uint32, n int) {
	for range n {
		v[0] += v[1]
		v[1] = rotl(v[1], 5)
		v[1] ^= v[0]
		v[0] = rotl(v[0], 16)
		v[2] += v[3]
		v[3] = rotl(v[3], 8)
		v[3] ^= v[2]
		v[0] += v[3]
		v[3] = rotl(v[3], 7)
		v[3] ^= v[0]
		v[2] += v[1]
		v[1] = rotl(v[1], 13)
		v[1] ^= v[2]
		v[2] = rotl(v[2], 16)
	}
}

// referenceWord puts up to 4 bytes together, the first the lowest.
func referenceWord(p []byte) (m uint32) {
	for i, b := range p {
		m += uint32(b) << (8 * i)
	}
	return m
}

// reference is the tag of p as the reference prints it, of 4 or 8 bytes.
func reference(key []byte, c, d int, wide bool, p []byte) []byte {
	k0, k1 := referenceWord(key[:4]), referenceWord(key[4:])
	v := [4]uint32{
		k0,
		k1,
		k0 ^ referenceWord([]byte("egyl")),
		k1 ^ referenceWord([]byte("bdet")),
	}
	if wide {
		v[1] ^= 0xee
	}
	length := byte(len(p))
	padded := append(append([]byte{}, p...), make([]byte, 4-len(p)%4)...)
	padded[len(padded)-1] = length
	for ; len(padded) > 0; padded = padded[4:] {
		m := referenceWord(padded[:4])
		v[3] ^= m
		referenceRounds(&v, c)
		v[0] ^= m
	}
	var tag []byte
	finish := func() {
		referenceRounds(&v, d)
		x := v[1] ^ v[3]
		for i := range 4 {
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
