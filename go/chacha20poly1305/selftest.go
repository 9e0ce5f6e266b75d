package chacha20poly1305

import (
	"encoding/binary"

	"keylane.example/go/internal/selftest"
)

const (
	// The runs of the self-test: run i has i * runStep bytes. So there is every tail, and every number of blocks up to two
	// calls of the widest kernel and more.
	runs, runStep = 70, 31
	runBytes      = 2760 // of text; more than the longest run has

	// The Rust library has the same runs and the same checksum.
	runsAnswer selftest.Sum = 0xf561c2e128e26262
)

// passes reports whether k gives the known answers: runs with and without block 0, in place and to another place. The
// bytes behind them must stay as they were.
//
//go:noinline
func (k *kernel) passes() bool {
	var text, out [runBytes]byte
	var wait [waitSize]byte
	selftest.Differ(text[:])
	var input [KeySize]byte
	selftest.Input(input[:])
	var sum selftest.Sum
	for i := range runs {
		s := state{last: 0x0506070801020304, first: uint64(i) << 32}
		load(s.key[:], input[:])
		n := i * runStep
		var oneTime [4]uint64
		src := out[:n]
		if i%3 == 0 {
			out = [runBytes]byte{}
			src = text[:n]
		} else {
			out = text
		}
		done := 0
		if i%2 == 0 {
			k.begin(wait[:], &s, n)
			for j := range oneTime {
				oneTime[j] = binary.LittleEndian.Uint64(wait[8*j:])
			}
			oneTime[0] &= 0x0ffffffc0fffffff
			oneTime[1] &= 0x0ffffffc0ffffffc
			done = first(wait[:], out[:n], src)
		} else {
			s.skip(0x7ffffff0 + i)
		}
		k.rest(wait[:], out[done:n], src[done:], &s)
		sum = selftest.Plus(selftest.Plus(sum, oneTime[0], oneTime[1]), oneTime[2], oneTime[3])
		sum = sum.Bytes(out[:])
	}
	return sum == runsAnswer
}

// lanesAnswer is the checksum of the key streams of 1 to 16 lanes, whose tables differ in all words.
const lanesAnswer selftest.Sum = 0xf997aca729977a6a

// passes reports whether m gives the known answers.
//
//go:noinline
func (m *together) passes() bool {
	var t table
	var out [lanes * blockSize]byte
	var sum selftest.Sum
	for n := 1; n <= lanes; n++ {
		for i := range t {
			t[i] += uint32(i+n) * 0x9e3779b1
		}
		m.stream(&out, &t, n)
		sum = sum.Bytes(out[:blockSize*n])
	}
	return sum == lanesAnswer
}
