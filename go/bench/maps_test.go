package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"keylane.example/go/maps"
)

// countedInts returns the integers from 0.
func countedInts(count int) []uint64 {
	keys := make([]uint64, count)
	for i := range keys {
		keys[i] = uint64(i)
	}
	return keys
}

// countedStrings returns numbers from 1 as strings of size bytes, the lowest byte last.
func countedStrings(count, size int) []string {
	keys := make([]string, count)
	for i := range keys {
		key := make([]byte, size)
		for number, at := i+1, size-1; number > 0; at-- {
			key[at] = byte(number)
			number >>= 8
		}
		keys[i] = string(key)
	}
	return keys
}

func lives[K maps.Key](b *testing.B, name string, engines []mapEngine[K], makeKeys func() []K) {
	keys := sync.OnceValue(makeKeys)
	for _, engine := range engines {
		b.Run(name+"/map="+engine.name, func(b *testing.B) {
			keys := keys()
			b.ResetTimer()
			for range b.N {
				engine.life(keys)
			}
		})
	}
}

// The grid of counts, and of sizes of strings.
var (
	gridCounts = []int{100, 10_000, 1_000_000}
	gridSizes  = []int{4, 8, 16, 20, 32, 100}
)

// grid returns gridCounts and gridSizes, or with -short one of each.
func grid() (counts, sizes []int) {
	if testing.Short() {
		return []int{10_000}, []int{20}
	}
	return gridCounts, gridSizes
}

// BenchmarkMapsGrid measures maps from creation until empty, over the grid. A time is for one map.
func BenchmarkMapsGrid(b *testing.B) {
	counts, sizes := grid()
	for _, count := range counts {
		lives(b, fmt.Sprintf("keys=int/count=%d", count), mapEngines(intBytes),
			func() []uint64 { return countedInts(count) })
		for _, size := range sizes {
			lives(b, fmt.Sprintf("keys=string/bytes=%d/count=%d", size, count),
				mapEngines(stringBytes),
				func() []string { return countedStrings(count, size) })
		}
	}
}

// BenchmarkMapsLookUp measures look-ups of random keys in a full map, over the grid: of present keys and of absent
// keys. A time is for one look-up. Each string to look up has separate memory, in the order of the look-ups, as if
// it had just been read.
func BenchmarkMapsLookUp(b *testing.B) {
	counts, sizes := grid()
	for _, count := range counts {
		lookUps(b, fmt.Sprintf("keys=int/count=%d", count), mapEngines(intBytes),
			func() []uint64 { return scattered(countedInts(2 * count)) }, func(key uint64) uint64 { return key })
		for _, size := range sizes {
			lookUps(b, fmt.Sprintf("keys=string/bytes=%d/count=%d", size, count),
				mapEngines(stringBytes),
				func() []string { return scattered(countedStrings(2*count, size)) }, strings.Clone)
		}
	}
}

// scattered shuffles keys.
func scattered[K any](keys []K) []K {
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// lookUps puts the first half of the keys into maps. The other half is absent.
func lookUps[K maps.Key](b *testing.B, name string, engines []mapEngine[K], makeKeys func() []K, clone func(K) K) {
	keys := sync.OnceValue(makeKeys)
	// Enough look-ups that the branch predictor cannot remember them.
	const least = 50_000
	random := func(keys []K) []K {
		var list []K
		for len(list) < least {
			list = append(list, scattered(slices.Clone(keys))...)
		}
		for i, key := range list {
			list[i] = clone(key)
		}
		return list
	}
	lists := map[string]func() []K{
		"hits":   sync.OnceValue(func() []K { return random(keys()[:len(keys())/2]) }),
		"misses": sync.OnceValue(func() []K { return random(keys()[len(keys())/2:]) }),
	}
	for _, engine := range engines {
		full := sync.OnceValue(func() func([]K) (int, uint64) { return engine.full(keys()[:len(keys())/2]) })
		for _, what := range []string{"hits", "misses"} {
			b.Run(name+"/look-ups="+what+"/map="+engine.name, func(b *testing.B) {
				list, lookUp := lists[what](), full()
				b.ResetTimer()
				for left := b.N; left > 0; left -= len(list) {
					lookUp(list[:min(left, len(list))])
				}
			})
		}
	}
}

// TestMaps compares maps of all kinds with the expected results.
func TestMaps(t *testing.T) {
	ints := mapEngines(intBytes)
	strings := mapEngines(stringBytes)
	for _, count := range []int{10, 100, 3000} {
		sum := uint64(count*(count-1)) / 2
		testMaps(t, ints, countedInts(2*count), count, sum)
		testMaps(t, strings, countedStrings(2*count, 20), count, sum)
	}
}

// testMaps puts the first count keys and looks up all.
func testMaps[K maps.Key](t *testing.T, engines []mapEngine[K], keys []K, count int, sum uint64) {
	for _, engine := range engines {
		if got, want := engine.life(keys[:count]), (life{count, sum, 0}); got != want {
			t.Errorf("%d keys, %s: %v, not %v", count, engine.name, got, want)
		}
		if found, got := engine.full(keys[:count])(keys); found != count || got != sum {
			t.Errorf("%d keys, %s: found %d with the sum %d, not %d", count, engine.name, found, got, sum)
		}
	}
}
