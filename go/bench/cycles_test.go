package bench

import (
	"testing"
	"time"
)

// reportCycles adds cycles to the report of a benchmark, and cycles per byte if an operation has bytes. The length
// of a cycle is measured in the same run.
func reportCycles(b *testing.B, bytes int) {
	cycles := float64(b.Elapsed()) / float64(b.N) / nanosecondsPerCycle()
	b.ReportMetric(cycles, "cycles/op")
	if bytes > 0 {
		b.ReportMetric(cycles/float64(bytes), "cycles/B")
	}
}

var chainSink uint64

// nanosecondsPerCycle times a chain of dependent additions and xors, which take a cycle each. It takes the least of
// many short samples.
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
