package siphash

// What differs in the tests of HalfSipHash. Most of those tests are generated from this package's by
// asm/halfsiphash.

var testKey = [KeySize]byte{0xf0, 1, 2, 3, 0x84, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xff}

// testVectors is the number of published tags in each file.
var testVectors = map[string]int{
	"siphash.json": 744, "siphash_generated.json": 256, "siphash_long.json": 1, "redis_nocase.json": 162,
}

// testCorpus is the number of variants in the corpus.
const testCorpus = 9
