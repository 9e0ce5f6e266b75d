package bench

import (
	"testing"
	"time"
)

// reportCycles adds cycles to what a benchmark reports, by a clock that is read in the same run, and cycles a byte where
// an operation has bytes.
func reportCycles(b *testing.B, bytes int) {
	cycles := float64(b.Elapsed()) / float64(b.N) / nanosecondsPerCycle()
	b.ReportMetric(cycles, "cycles/op")
	if bytes > 0 {
		b.ReportMetric(cycles/float64(bytes), "cycles/B")
	}
}

var chainSink uint64

// nanosecondsPerCycle times a chain of additions and xors that wait for each other, a cycle each: the least of many
// short samples.
func nanosecondsPerCycle() float64 {
	const links = 8 * 4000
	least := time.Duration(1 << 62)
	x, y, z := chainSink, chainSink|1, chainSink|2
	for range 50 {
		start := time.Now()
		for range links / 8 {
			x += y
			x ^= z
			x += y
			x ^= z
			x += y
			x ^= z
			x += y
			x ^= z
		}
		least = min(least, time.Since(start))
	}
	chainSink = x
	return float64(least) / links
}
