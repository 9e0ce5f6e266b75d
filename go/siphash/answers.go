package siphash

import "keylane.example/go/internal/selftest"

// answers are the checksums of the self-test, for tags of 64 and of 128 bits. Those of messages are the Rust library's.
var answers = [2]struct {
	messages [len(selftest.Rounds)]selftest.Sum
	lengths  selftest.Sum
}{
	{[...]selftest.Sum{
		0xd2ae8d5fec455660, 0xb641b1d6b933e949, 0x81779101c769f0d1,
		0xabc149f3e58da5ba, 0xb42b7d651d16df34, 0x67cd80098b080949,
	}, 0x26521817d1ad0920},
	{[...]selftest.Sum{
		0x3e88c86e0514e077, 0x0ee466a7786bddd3, 0xc95646f6204b02c7,
		0xd50875e75dd01922, 0x514c28c4dc980e3a, 0xfedbaddabd635d2d,
	}, 0xee98b16a47befeba},
}

func plusWide(sum selftest.Sum, tag Uint128) selftest.Sum { return selftest.Plus(sum, tag.Lo, tag.Hi) }

// integers hashes integers of 4, 8 and 16 bytes.
func (t *trial) integers() {
	const n = selftest.Messages
	var u32s [n]uint32
	var u64s [n]uint64
	var u128s [n]Uint128
	for i := range u128s {
		u64s[i], u128s[i].Hi = selftest.Integer(i)
		u32s[i], u128s[i].Lo = uint32(u64s[i]), u64s[i]
	}
	t.uint32s(u32s[:])
	t.add(n)
	t.uint64s(u64s[:])
	t.add(n)
	t.uint128s(u128s[:])
	t.add(n)
}
