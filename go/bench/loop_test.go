package bench

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"keylane.example/go/halfsiphash"
	"keylane.example/go/poly1305"
	"keylane.example/go/siphash"
)

// BenchmarkAgainstLoop compares each batch call with the caller's own loop over the single call, by the number n of
// messages in a call. The metric ratio is the time of the batch calls, divided by that of the loop.
//
// An operation is a pass over all messages by each side. The sides take turns after a short sample, and the metrics
// are medians over all samples. So a burst of other load spoils few samples, and those of either side. Lengths are
// constant, or such that no branch predictor has seen them: a pass has too many messages for that.
func BenchmarkAgainstLoop(b *testing.B) {
	key := (*[halfsiphash.KeySize]byte)(sipKey[:])
	h13, h24, x24 := siphash.New13(&sipKey), siphash.New24(&sipKey), siphash.NewX24(&sipKey)
	half13, half24 := halfsiphash.New13(key), halfsiphash.New24(key)
	in := newLoopInput(loopMessages, loopTexts)
	against(b, "siphash-1-3", loopSample, sipHashCalls(&h13, in))
	against(b, "siphash-2-4", loopSample, sipHashCalls(&h24, in))
	against(b, "siphash-2-4-128", loopSample, wideCalls(&x24, in))
	against(b, "halfsiphash-1-3", loopSample, halfSipHashCalls(&half13, in))
	against(b, "halfsiphash-2-4", loopSample, halfSipHashCalls(&half24, in))
	for _, lengths := range loopPackets {
		sample := loopSample
		if lengths[1]*sample > loopBytes {
			sample = 384
		}
		packets := newPackets(min(loopMessages, loopBytes/lengths[1]/sample*sample), lengths)
		against(b, "poly1305", sample, packets.sum())
		against(b, "poly1305", sample, packets.verify())
	}
}

const (
	loopMessages = 48_000  // in a pass
	loopSample   = 9600    // in a sample
	loopBytes    = 2 << 20 // in a pass of Poly1305, at most: the messages should be in a cache
)

// loopCounts are the numbers of messages in a call. Each divides loopSample and 384.
var loopCounts = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128}

// loopTexts and loopPackets are lengths of messages, the shortest and the longest. loopWidths are lengths of rows.
var (
	loopTexts   = [][2]int{{4, 20}, {0, 9}, {16, 16}, {13, 39}, {0, 127}}
	loopPackets = [][2]int{{16, 16}, {48, 48}, {80, 80}, {0, 128}, {40, 1500}}
	loopWidths  = []int{16, 24}
)

// A side puts the tags of messages into tags, from message at on.
type side[T any] func(tags []T, at int)

// A call is a row of the table: a batch call for count messages, and the loop that it replaces.
type call[T any] struct {
	name          string
	count         int
	keylane, loop side[T]
}

// against compares the two sides of each call. Their tags must be the same at the end. The number of messages is a
// multiple of sample.
func against[T comparable](b *testing.B, hash string, sample int, calls []call[T]) {
	counts := loopCounts
	if testing.Short() {
		counts = []int{1, 4, 16, 64}
	}
	for _, c := range calls {
		ours, theirs := make([]T, c.count), make([]T, c.count)
		// A side is half a pass ahead of the other, so neither has seen the lengths just before.
		ahead := c.count / sample / 2 * sample
		for _, n := range counts {
			b.Run(fmt.Sprintf("hash=%s/call=%s/n=%d", hash, c.name, n), func(b *testing.B) {
				var keylaneTimes, loopTimes, ratios []float64
				timed := func(pass side[T], tags []T, at int) float64 {
					start := time.Now()
					for end := at + sample; at < end; at += n {
						pass(tags[at:at+n], at)
					}
					return float64(time.Since(start)) / float64(sample)
				}
				for range b.N {
					for at := 0; at < c.count; at += sample {
						x := timed(c.keylane, ours, at)
						y := timed(c.loop, theirs, (at+ahead)%c.count)
						keylaneTimes, loopTimes, ratios = append(keylaneTimes, x), append(loopTimes, y), append(ratios, x/y)
					}
				}
				if !slices.Equal(ours, theirs) {
					b.Fatal("the tags differ")
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(keylaneTimes), "keylane-ns")
				b.ReportMetric(median(loopTimes), "loop-ns")
				b.ReportMetric(median(ratios), "ratio")
			})
		}
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// loopInput is integers, rows by their width, and texts.
type loopInput struct {
	u32s  []uint32
	u64s  []uint64
	u128s []siphash.Uint128
	rows  map[int][]byte
	texts []*loopText
}

func newLoopInput(count int, texts [][2]int) *loopInput {
	in := &loopInput{rows: map[int][]byte{}}
	random := rand.New(rand.NewPCG(5, 6))
	for range count {
		in.u32s, in.u64s = append(in.u32s, random.Uint32()), append(in.u64s, random.Uint64())
		in.u128s = append(in.u128s, siphash.Uint128{Lo: random.Uint64(), Hi: random.Uint64()})
	}
	for _, width := range loopWidths {
		in.rows[width] = randomBytes(width * count)
	}
	for _, lengths := range texts {
		in.texts = append(in.texts, newLoopText(count, lengths))
	}
	return in
}

// loopText is messages in every layout.
type loopText struct {
	name      string
	data      []byte
	offsets32 []int32
	offsets64 []int64
	strings   []string
	slices    [][]byte
	views     [][16]byte
	buffers   [][]byte
}

func newLoopText(count int, lengths [2]int) *loopText {
	t := &loopText{name: fmt.Sprintf("/bytes=%d-to-%d", lengths[0], lengths[1])}
	random := rand.New(rand.NewPCG(7, 8))
	at := 0
	t.offsets32, t.offsets64 = []int32{0}, []int64{0}
	for range count {
		at += lengths[0] + random.IntN(lengths[1]-lengths[0]+1)
		t.offsets32, t.offsets64 = append(t.offsets32, int32(at)), append(t.offsets64, int64(at))
	}
	t.data = randomBytes(at)
	t.buffers = [][]byte{t.data}
	whole := string(t.data)
	for i := range count {
		from, to := t.offsets32[i], t.offsets32[i+1]
		p := t.data[from:to]
		t.slices, t.strings = append(t.slices, p), append(t.strings, whole[from:to])
		var view [16]byte
		binary.LittleEndian.PutUint32(view[:], uint32(len(p)))
		if copy(view[4:], p) < len(p) {
			binary.LittleEndian.PutUint32(view[8:], 0)
			binary.LittleEndian.PutUint32(view[12:], uint32(from))
		}
		t.views = append(t.views, view)
	}
	return t
}

func randomBytes(n int) []byte {
	p := make([]byte, n)
	var seed [32]byte
	rand.NewChaCha8(seed).Read(p)
	return p
}

// view returns the message of view i, as a caller would who trusts it.
func (t *loopText) view(i int) []byte {
	view := &t.views[i]
	n := binary.LittleEndian.Uint32(view[:])
	if n <= 12 {
		return view[4 : 4+n]
	}
	at := binary.LittleEndian.Uint32(view[12:])
	return t.buffers[binary.LittleEndian.Uint32(view[8:])][at : at+n]
}

// The caller's loops. They are inlined together with the single call, since the compiler sees which method it is. A call
// through a type parameter or an interface would burden a loop the most. So there is a table for each type of hasher.

func each[H, T, M any](h H, tags []T, messages []M, one func(H, M) T) {
	for i, m := range messages[:len(tags)] {
		tags[i] = one(h, m)
	}
}

func eachRow[H, T any](h H, tags []T, rows []byte, width int, one func(H, []byte) T) {
	for i := range tags {
		tags[i] = one(h, rows[i*width:(i+1)*width])
	}
}

func eachOffset[H, T any, O int32 | int64](h H, tags []T, data []byte, offsets []O, one func(H, []byte) T) {
	for i := range tags {
		tags[i] = one(h, data[offsets[i]:offsets[i+1]])
	}
}

func eachView[H, T any](h H, tags []T, t *loopText, at int, one func(H, []byte) T) {
	for i := range tags {
		tags[i] = one(h, t.view(at+i))
	}
}

func sipHashCalls(h *siphash.Hasher, in *loopInput) []call[uint64] {
	type tags = []uint64
	type hasher = *siphash.Hasher
	calls := []call[uint64]{
		{
			"uint32s", loopMessages,
			func(t tags, at int) { h.HashUint32s(t, in.u32s[at:]) },
			func(t tags, at int) { each(h, t, in.u32s[at:], hasher.HashUint32) },
		},
		{
			"uint64s", loopMessages,
			func(t tags, at int) { h.HashUint64s(t, in.u64s[at:]) },
			func(t tags, at int) { each(h, t, in.u64s[at:], hasher.HashUint64) },
		},
		{
			"uint128s", loopMessages,
			func(t tags, at int) { h.HashUint128s(t, in.u128s[at:]) },
			func(t tags, at int) { each(h, t, in.u128s[at:], hasher.HashUint128) },
		},
	}
	for _, width := range loopWidths {
		rows := in.rows[width]
		calls = append(calls, call[uint64]{
			fmt.Sprintf("rows/bytes=%d", width), loopMessages,
			func(t tags, at int) { h.HashRows(t, rows[at*width:], width) },
			func(t tags, at int) { eachRow(h, t, rows[at*width:], width, hasher.Hash) },
		})
	}
	for _, x := range in.texts {
		calls = append(calls, []call[uint64]{
			{
				"strings" + x.name, loopMessages,
				func(t tags, at int) { h.HashStrings(t, x.strings[at:]) },
				func(t tags, at int) { each(h, t, x.strings[at:], hasher.HashString) },
			},
			{
				"slices" + x.name, loopMessages,
				func(t tags, at int) { h.HashSlices(t, x.slices[at:]) },
				func(t tags, at int) { each(h, t, x.slices[at:], hasher.Hash) },
			},
			{
				"offsets32" + x.name, loopMessages,
				func(t tags, at int) { h.HashOffsets32(t, x.data, x.offsets32[at:]) },
				func(t tags, at int) { eachOffset(h, t, x.data, x.offsets32[at:], hasher.Hash) },
			},
			{
				"offsets64" + x.name, loopMessages,
				func(t tags, at int) { h.HashOffsets64(t, x.data, x.offsets64[at:]) },
				func(t tags, at int) { eachOffset(h, t, x.data, x.offsets64[at:], hasher.Hash) },
			},
			{
				"views" + x.name, loopMessages,
				func(t tags, at int) { h.HashViews(t, x.views[at:], x.buffers) },
				func(t tags, at int) { eachView(h, t, x, at, hasher.Hash) },
			},
		}...)
	}
	return calls
}

func wideCalls(h *siphash.HasherX, in *loopInput) []call[siphash.Uint128] {
	type tags = []siphash.Uint128
	type hasher = *siphash.HasherX
	calls := []call[siphash.Uint128]{
		{
			"uint32s", loopMessages,
			func(t tags, at int) { h.HashUint32s(t, in.u32s[at:]) },
			func(t tags, at int) { each(h, t, in.u32s[at:], hasher.HashUint32) },
		},
		{
			"uint64s", loopMessages,
			func(t tags, at int) { h.HashUint64s(t, in.u64s[at:]) },
			func(t tags, at int) { each(h, t, in.u64s[at:], hasher.HashUint64) },
		},
		{
			"uint128s", loopMessages,
			func(t tags, at int) { h.HashUint128s(t, in.u128s[at:]) },
			func(t tags, at int) { each(h, t, in.u128s[at:], hasher.HashUint128) },
		},
	}
	for _, width := range loopWidths {
		rows := in.rows[width]
		calls = append(calls, call[siphash.Uint128]{
			fmt.Sprintf("rows/bytes=%d", width), loopMessages,
			func(t tags, at int) { h.HashRows(t, rows[at*width:], width) },
			func(t tags, at int) { eachRow(h, t, rows[at*width:], width, hasher.Hash) },
		})
	}
	for _, x := range in.texts {
		calls = append(calls, []call[siphash.Uint128]{
			{
				"strings" + x.name, loopMessages,
				func(t tags, at int) { h.HashStrings(t, x.strings[at:]) },
				func(t tags, at int) { each(h, t, x.strings[at:], hasher.HashString) },
			},
			{
				"slices" + x.name, loopMessages,
				func(t tags, at int) { h.HashSlices(t, x.slices[at:]) },
				func(t tags, at int) { each(h, t, x.slices[at:], hasher.Hash) },
			},
			{
				"offsets32" + x.name, loopMessages,
				func(t tags, at int) { h.HashOffsets32(t, x.data, x.offsets32[at:]) },
				func(t tags, at int) { eachOffset(h, t, x.data, x.offsets32[at:], hasher.Hash) },
			},
			{
				"offsets64" + x.name, loopMessages,
				func(t tags, at int) { h.HashOffsets64(t, x.data, x.offsets64[at:]) },
				func(t tags, at int) { eachOffset(h, t, x.data, x.offsets64[at:], hasher.Hash) },
			},
			{
				"views" + x.name, loopMessages,
				func(t tags, at int) { h.HashViews(t, x.views[at:], x.buffers) },
				func(t tags, at int) { eachView(h, t, x, at, hasher.Hash) },
			},
		}...)
	}
	return calls
}

func halfSipHashCalls(h *halfsiphash.Hasher, in *loopInput) []call[uint32] {
	type tags = []uint32
	type hasher = *halfsiphash.Hasher
	calls := []call[uint32]{
		{
			"uint32s", loopMessages,
			func(t tags, at int) { h.HashUint32s(t, in.u32s[at:]) },
			func(t tags, at int) { each(h, t, in.u32s[at:], hasher.HashUint32) },
		},
		{
			"uint64s", loopMessages,
			func(t tags, at int) { h.HashUint64s(t, in.u64s[at:]) },
			func(t tags, at int) { each(h, t, in.u64s[at:], hasher.HashUint64) },
		},
	}
	for _, width := range loopWidths {
		rows := in.rows[width]
		calls = append(calls, call[uint32]{
			fmt.Sprintf("rows/bytes=%d", width), loopMessages,
			func(t tags, at int) { h.HashRows(t, rows[at*width:], width) },
			func(t tags, at int) { eachRow(h, t, rows[at*width:], width, hasher.Hash) },
		})
	}
	for _, x := range in.texts {
		calls = append(calls, []call[uint32]{
			{
				"strings" + x.name, loopMessages,
				func(t tags, at int) { h.HashStrings(t, x.strings[at:]) },
				func(t tags, at int) { each(h, t, x.strings[at:], hasher.HashString) },
			},
			{
				"slices" + x.name, loopMessages,
				func(t tags, at int) { h.HashSlices(t, x.slices[at:]) },
				func(t tags, at int) { each(h, t, x.slices[at:], hasher.Hash) },
			},
			{
				"offsets32" + x.name, loopMessages,
				func(t tags, at int) { h.HashOffsets32(t, x.data, x.offsets32[at:]) },
				func(t tags, at int) { eachOffset(h, t, x.data, x.offsets32[at:], hasher.Hash) },
			},
			{
				"offsets64" + x.name, loopMessages,
				func(t tags, at int) { h.HashOffsets64(t, x.data, x.offsets64[at:]) },
				func(t tags, at int) { eachOffset(h, t, x.data, x.offsets64[at:], hasher.Hash) },
			},
			{
				"views" + x.name, loopMessages,
				func(t tags, at int) { h.HashViews(t, x.views[at:], x.buffers) },
				func(t tags, at int) { eachView(h, t, x, at, hasher.Hash) },
			},
		}...)
	}
	return calls
}

// packets are messages of Poly1305, each with a key.
type packets struct {
	*loopText
	keys [][poly1305.KeySize]byte
}

func newPackets(count int, lengths [2]int) packets {
	p := packets{newLoopText(count, lengths), make([][poly1305.KeySize]byte, count)}
	for i, bytes := 0, randomBytes(poly1305.KeySize*count); i < count; i++ {
		copy(p.keys[i][:], bytes[poly1305.KeySize*i:])
	}
	return p
}

func (p packets) sum() []call[[poly1305.TagSize]byte] {
	type tags = [][poly1305.TagSize]byte
	return []call[[poly1305.TagSize]byte]{{
		"sum" + p.name, len(p.keys),
		func(t tags, at int) {
			end := at + len(t)
			poly1305.SumMany(t, p.keys[at:end], p.slices[at:end])
		},
		func(t tags, at int) {
			keys := p.keys[at:]
			for i, m := range p.slices[at : at+len(t)] {
				poly1305.Sum(&t[i], m, &keys[i])
			}
		},
	}}
}

func (p packets) verify() []call[bool] {
	macs := make([][poly1305.TagSize]byte, len(p.keys))
	for i, m := range p.slices {
		// Every third tag is wrong.
		if poly1305.Sum(&macs[i], m, &p.keys[i]); i%3 == 0 {
			macs[i][0]++
		}
	}
	return []call[bool]{{
		"verify" + p.name, len(p.keys),
		func(good []bool, at int) {
			end := at + len(good)
			poly1305.VerifyMany(good, macs[at:end], p.keys[at:end], p.slices[at:end])
		},
		func(good []bool, at int) {
			keys, macs := p.keys[at:], macs[at:]
			for i, m := range p.slices[at : at+len(good)] {
				good[i] = poly1305.Verify(&macs[i], m, &keys[i])
			}
		},
	}}
}
