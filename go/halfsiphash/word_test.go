package halfsiphash

// What differs in the tests of SipHash. Most of this package's tests are generated from those by asm/halfsiphash.

var testKey = [KeySize]byte{0xf0, 1, 2, 3, 0x84, 5, 6, 0xff}

// testVectors is the number of published tags in each file.
var testVectors = map[string]int{"halfsiphash.json": 192, "siphash_generated.json": 64}

// testCorpus is the number of variants in the corpus.
const testCorpus = 5
