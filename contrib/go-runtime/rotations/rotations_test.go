// Package rotations is an ablation of SipHash in a map: what a look-up costs if its rounds rotate by other numbers of bits.
// It counts and has no clock, so its table is the same on every machine.
package rotations

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"strings"
	"testing"

	"keylane.example/contrib/go-runtime/internal/reference"
)

// turns are the bits by which a round rotates: v1 and v3 in its first half, v1 and v3 in the second, and v0 and v2.
type turns struct{ firstV1, firstV3, secondV1, secondV3, v0v2 int }

var right = turns{13, 16, 17, 21, 32}

func (t turns) round(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v2 += v3
	v1 = bits.RotateLeft64(v1, t.firstV1) ^ v0
	v3 = bits.RotateLeft64(v3, t.firstV3) ^ v2
	v2 += v1
	v0 = bits.RotateLeft64(v0, t.v0v2) + v3
	v1 = bits.RotateLeft64(v1, t.secondV1) ^ v2
	v3 = bits.RotateLeft64(v3, t.secondV3) ^ v0
	return v0, v1, bits.RotateLeft64(v2, t.v0v2), v3
}

// hash is SipHash-c-d with these rotations.
func (t turns) hash(c, d int, k0, k1 uint64, p []byte) uint64 {
	v0, v1, v2, v3 := k0^0x736f6d6570736575, k1^0x646f72616e646f6d, k0^0x6c7967656e657261, k1^0x7465646279746573
	last := uint64(len(p)) << 56
	for tail, i := p[len(p)&^7:], 0; i < len(tail); i++ {
		last |= uint64(tail[i]) << (8 * i)
	}
	for i := 0; i <= len(p)&^7; i += 8 {
		m := last
		if i+8 <= len(p) {
			m = binary.LittleEndian.Uint64(p[i:])
		}
		v3 ^= m
		for range c {
			v0, v1, v2, v3 = t.round(v0, v1, v2, v3)
		}
		v0 ^= m
	}
	v2 ^= 0xff
	for range d {
		v0, v1, v2, v3 = t.round(v0, v1, v2, v3)
	}
	return v0 ^ v1 ^ v2 ^ v3
}

// groups returns how many groups a look-up of one of these hashes reads, in the mean. As in Go's map, a group has eight
// places, the bits above the lowest seven choose the first group, and a full one leads to others by steps of 1, 2, 3 and so on.
func groups(hashes []uint64) float64 {
	full := make([]int, 1<<bits.Len(uint(len(hashes)-1)/7))
	mask, read := uint64(len(full)-1), 0
	for _, hash := range hashes {
		at, step := hash>>7&mask, uint64(1)
		for read++; full[at] == 8; read++ {
			at, step = (at+step)&mask, step+1
		}
		full[at]++
	}
	return float64(read) / float64(len(hashes))
}

// mean is that of some keys of the hash.
func (t turns) mean(c, d int, key func(i uint64) []byte) float64 {
	// 7 of 8 places are taken.
	const count, keys = 7 << 10, 4
	sum := 0.0
	for k := range uint64(keys) {
		hashes := make([]uint64, count)
		for i := range hashes {
			hashes[i] = t.hash(c, d, 0x9e3779b97f4a7c15*(k+1), 0xbf58476d1ce4e5b9*(k+1), key(uint64(i)))
		}
		sum += groups(hashes)
	}
	return sum / keys
}

func number(i uint64) []byte { return binary.LittleEndian.AppendUint64(nil, i) }

// TestRight compares the right rotations with SipHash.
func TestRight(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("the reference is HalfSipHash")
	}
	k0, k1 := uint64(0x0706050403020100), uint64(0x0f0e0d0c0b0a0908)
	p := []byte("a message of 26 bytes here")
	for n := range p {
		want := uint64(reference.Hash(2, 4, uintptr(k0), uintptr(k1), p[:n]))
		if got := right.hash(2, 4, k0, k1, p[:n]); got != want {
			t.Errorf("%d bytes: %#x, not %#x", n, got, want)
		}
	}
}

// TestGroups knows a table with nothing to skip, and one whose keys all begin at one group.
func TestGroups(t *testing.T) {
	even, same := make([]uint64, 56), make([]uint64, 56)
	for i := range even {
		even[i] = uint64(i%8) << 7
	}
	if got := groups(even); got != 1 {
		t.Errorf("%v groups, not 1", got)
	}
	if got := groups(same); got != 4 {
		t.Errorf("%v groups, not 4", got)
	}
}

// TestPage finds its table in docs/research/PRIOR.md.
func TestPage(t *testing.T) {
	table := "| rotations of v1, v3, v1, v3; of v0 and v2 | integers, 1-1 | 1-3 | 2-4 | integers times 2^32, 1-1 | 1-3 | 2-4 | strings, 1-1 | 1-3 | 2-4 |\n" +
		"| --- |" + strings.Repeat(" ---: |", 9) + "\n"
	for _, of := range []turns{right, {8, 8, 8, 8, 32}, {16, 16, 16, 16, 32}, {32, 32, 32, 32, 32}, {1, 1, 1, 1, 1}, {}} {
		table += fmt.Sprintf("| %d, %d, %d, %d; %d |", of.firstV1, of.firstV3, of.secondV1, of.secondV3, of.v0v2)
		for _, key := range []func(i uint64) []byte{
			number,
			func(i uint64) []byte { return number(i << 32) },
			func(i uint64) []byte { return fmt.Appendf(nil, "%020d", i) },
		} {
			for _, rounds := range [][2]int{{1, 1}, {1, 3}, {2, 4}} {
				table += fmt.Sprintf(" %.3g |", of.mean(rounds[0], rounds[1], key))
			}
		}
		table += "\n"
	}
	page, err := os.ReadFile("../../../docs/research/PRIOR.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), table) {
		t.Errorf("docs/research/PRIOR.md lacks this table:\n\n%s", table)
	}
}
