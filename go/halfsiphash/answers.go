package halfsiphash

import (
	"encoding/binary"

	"keylane.example/go/internal/selftest"
)

// answers are the checksums of the self-test, for tags of 32 and of 64 bits. Those of messages are the Rust library's.
var answers = [2]struct {
	messages [len(selftest.Rounds)]selftest.Sum
	lengths  selftest.Sum
}{
	{[...]selftest.Sum{
		0xcccdfa7727825a8d, 0x579135a65f9c8345, 0x14080b68a0218cd4,
		0x59dc9e420238e1c0, 0xd3c6dc3e07a38193, 0x02a17109dfe75673,
	}, 0xb48a007a878e1ace},
	{[...]selftest.Sum{
		0x88d9b702022505cb, 0x347bb170f59d1c9a, 0x582bf515775b0410,
		0x1711562abd17af30, 0x518ee6c7a9a8b12c, 0x1c1e256fa2c9a4c6,
	}, 0xe0c92d4c6b5d842e},
}

func plusWide(sum selftest.Sum, tag uint64) selftest.Sum { return selftest.Plus(sum, tag, 0) }

// integers hashes integers of 4, 8 and 16 bytes. There is no type of 16 bytes, so these are rows.
func (t *trial) integers() {
	const n = selftest.Messages
	var u32s [n]uint32
	var u64s [n]uint64
	var rows [16 * n]byte
	for i := range u64s {
		lo, hi := selftest.Integer(i)
		u32s[i], u64s[i] = uint32(lo), lo
		binary.LittleEndian.PutUint64(rows[16*i:], lo)
		binary.LittleEndian.PutUint64(rows[16*i+8:], hi)
	}
	t.uint32s(u32s[:])
	t.add(n)
	t.uint64s(u64s[:])
	t.add(n)
	t.batch.rows(rows[:], 16, n)
	t.add(n)
}
