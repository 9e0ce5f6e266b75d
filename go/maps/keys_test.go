package maps

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"keylane.example/go/siphash"
)

// Named types of keys.
type (
	number int16
	name   string
	flow   [13]byte
)

// keys is a set of keys of one type: of(0) to of(count - 1), which all differ.
type keys[K Key] struct {
	count uint64
	of    func(i uint64) K
}

// A keyType is keys of some type. Its methods are the tests.
type keyType interface {
	model(t *testing.T)
	hashes(t *testing.T)
	allocations(t *testing.T)
	programs(t *testing.T)
}

// eachKeyType runs a test for keys of every kind and size.
func eachKeyType(t *testing.T, test func(keyType, *testing.T)) {
	run := func(name string, keys keyType) { t.Run(name, func(t *testing.T) { test(keys, t) }) }
	run("uint8", keys[uint8]{1 << 8, func(i uint64) uint8 { return uint8(i) }})
	run("int16", keys[number]{1 << 15, func(i uint64) number { return -number(i) }})
	run("int32", keys[int32]{1 << 15, func(i uint64) int32 { return int32(i) - 1<<14 }})
	run("uint", keys[uint]{1 << 15, func(i uint64) uint { return uint(i) << 15 }})
	run("uint64", keys[uint64]{1 << 15, func(i uint64) uint64 { return i * 0x9e3779b97f4a7c15 }})
	run("string", keys[string]{1 << 15, stringOf})
	run("name", keys[name]{1 << 15, func(i uint64) name { return name(stringOf(i)) }})
	run("4 bytes", keys[[4]byte]{1 << 15, func(i uint64) (key [4]byte) {
		binary.LittleEndian.PutUint32(key[:], uint32(i))
		return key
	}})
	run("13 bytes", keys[flow]{1 << 15, func(i uint64) (key flow) {
		binary.BigEndian.PutUint64(key[5:], i)
		return key
	}})
	run("64 bytes", keys[[64]byte]{1 << 15, func(i uint64) (key [64]byte) {
		binary.BigEndian.PutUint64(key[i%57:], i+1)
		return key
	}})
}

// stringOf returns strings of 0 to 79 bytes.
func stringOf(i uint64) string {
	if i < 80 {
		return strings.Repeat("k", int(i))
	}
	return fmt.Sprintf("%0*d", i%80, i)
}

// variants returns hashers for NewWith, all under one key.
func variants() []siphash.Hasher {
	key := [siphash.KeySize]byte{1, 2, 3}
	return []siphash.Hasher{siphash.New11(&key), siphash.New13(&key), siphash.New24(&key)}
}
