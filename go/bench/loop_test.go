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
// messages in a call. The metric ratio is the time of the batch calls, divided by that of the loop. A batch call that
// is slower than this loop has a defect.
//
// An operation is a pass over all messages by each side. The sides take turns after a short sample, and the metrics
// are medians over all samples. So a burst of other load spoils few samples, and those of either side. Lengths are
// constant, or such that no branch predictor has seen them: a pass has too many messages for that.
func BenchmarkAgainstLoop(b *testing.B) {
	key := (*[halfsiphash.KeySize]byte)(sipKey[:])
	h13, h24, x24 := siphash.New13(&sipKey), siphash.New24(&sipKey), siphash.NewX24(&sipKey)
	half13, half24 := halfsiphash.New13(key), halfsiphash.New24(key)
	b.Run("hash=siphash-1-3", func(b *testing.B) { sipHashLoops(b, &h13) })
	b.Run("hash=siphash-2-4", func(b *testing.B) { sipHashLoops(b, &h24) })
	b.Run("hash=siphash-2-4-128", func(b *testing.B) { wideLoops(b, &x24) })
	b.Run("hash=halfsiphash-1-3", func(b *testing.B) { halfSipHashLoops(b, &half13) })
	b.Run("hash=halfsiphash-2-4", func(b *testing.B) { halfSipHashLoops(b, &half24) })
	b.Run("hash=poly1305", poly1305Loops)
}

const (
	loopMessages = 48_000  // in a pass
	loopSample   = 9600    // in a sample
	loopBytes    = 2 << 20 // in a pass of Poly1305, at most: the messages should be in a cache
)

// loopCalls are the numbers of messages in a call. Each divides loopSample and 384.
var loopCalls = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128}

// loopTexts and loopPackets are lengths of messages, the shortest and the longest.
var (
	loopTexts   = [][2]int{{4, 20}, {0, 9}, {16, 16}, {13, 39}, {0, 127}}
	loopPackets = [][2]int{{16, 16}, {48, 48}, {80, 80}, {0, 128}, {40, 1500}}
)

// A side hashes the messages from at to end, n in a call.
type side func(at, end, n int)

// against compares two sides. They put their answers into ours and theirs, which must be the same at the end. The
// number of answers is a multiple of sample.
func against[T comparable](b *testing.B, name string, sample int, ours, theirs []T, keylane, loop side) {
	calls := loopCalls
	if testing.Short() {
		calls = []int{1, 4, 16, 64}
	}
	count := len(ours)
	// A side is half a pass ahead of the other, so neither has seen the lengths just before.
	ahead := count / sample / 2 * sample
	for _, n := range calls {
		b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
			var keylaneTimes, loopTimes, ratios []float64
			timed := func(pass side, at int) float64 {
				start := time.Now()
				pass(at, at+sample, n)
				return float64(time.Since(start)) / float64(sample)
			}
			for range b.N {
				for at := 0; at < count; at += sample {
					x := timed(keylane, at)
					y := timed(loop, (at+ahead)%count)
					keylaneTimes, loopTimes, ratios = append(keylaneTimes, x), append(loopTimes, y), append(ratios, x/y)
				}
			}
			if !slices.Equal(ours, theirs) {
				b.Fatal("the answers differ")
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(keylaneTimes), "keylane-ns")
			b.ReportMetric(median(loopTimes), "loop-ns")
			b.ReportMetric(median(ratios), "ratio")
		})
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
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

func newLoopText(count int, lengths [2]int) (t loopText) {
	t.name = fmt.Sprintf("bytes=%d-to-%d", lengths[0], lengths[1])
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

// view returns the message of a view, as a caller would who trusts it.
func (t *loopText) view(view *[16]byte) []byte {
	n := binary.LittleEndian.Uint32(view[:])
	if n <= 12 {
		return view[4 : 4+n]
	}
	at := binary.LittleEndian.Uint32(view[12:])
	return t.buffers[binary.LittleEndian.Uint32(view[8:])][at : at+n]
}

func loopIntegers() (u32s []uint32, u64s []uint64, u128s []siphash.Uint128) {
	random := rand.New(rand.NewPCG(5, 6))
	for range loopMessages {
		u32s, u64s = append(u32s, random.Uint32()), append(u64s, random.Uint64())
		u128s = append(u128s, siphash.Uint128{Lo: random.Uint64(), Hi: random.Uint64()})
	}
	return u32s, u64s, u128s
}

// The functions below differ in types only. A call through an interface or a type parameter would burden both sides,
// and a loop over single calls the most.

func sipHashLoops(b *testing.B, h *siphash.Hasher) {
	u32s, u64s, u128s := loopIntegers()
	ours, theirs := make([]uint64, loopMessages), make([]uint64, loopMessages)
	against(b, "call=uint32s", loopSample, ours, theirs, func(at, end, n int) {
		for ; at < end; at += n {
			h.HashUint32s(ours[at:at+n], u32s[at:at+n])
		}
	}, func(at, end, n int) {
		for ; at < end; at += n {
			tags := theirs[at : at+n]
			for i, x := range u32s[at : at+n] {
				tags[i] = h.HashUint32(x)
			}
		}
	})
	against(b, "call=uint64s", loopSample, ours, theirs, func(at, end, n int) {
		for ; at < end; at += n {
			h.HashUint64s(ours[at:at+n], u64s[at:at+n])
		}
	}, func(at, end, n int) {
		for ; at < end; at += n {
			tags := theirs[at : at+n]
			for i, x := range u64s[at : at+n] {
				tags[i] = h.HashUint64(x)
			}
		}
	})
	against(b, "call=uint128s", loopSample, ours, theirs, func(at, end, n int) {
		for ; at < end; at += n {
			h.HashUint128s(ours[at:at+n], u128s[at:at+n])
		}
	}, func(at, end, n int) {
		for ; at < end; at += n {
			tags := theirs[at : at+n]
			for i, x := range u128s[at : at+n] {
				tags[i] = h.HashUint128(x)
			}
		}
	})
	for _, width := range []int{16, 24} {
		rows := randomBytes(width * loopMessages)
		against(b, fmt.Sprintf("call=rows/bytes=%d", width), loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashRows(ours[at:at+n], rows[at*width:(at+n)*width], width)
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, rows := theirs[at:at+n], rows[at*width:(at+n)*width]
				for i := range tags {
					tags[i] = h.Hash(rows[i*width : (i+1)*width])
				}
			}
		})
	}
	for _, lengths := range loopTexts {
		t := newLoopText(loopMessages, lengths)
		against(b, "call=strings/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashStrings(ours[at:at+n], t.strings[at:at+n])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags := theirs[at : at+n]
				for i, s := range t.strings[at : at+n] {
					tags[i] = h.HashString(s)
				}
			}
		})
		against(b, "call=slices/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashSlices(ours[at:at+n], t.slices[at:at+n])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags := theirs[at : at+n]
				for i, p := range t.slices[at : at+n] {
					tags[i] = h.Hash(p)
				}
			}
		})
		against(b, "call=offsets32/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashOffsets32(ours[at:at+n], t.data, t.offsets32[at:at+n+1])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, offsets := theirs[at:at+n], t.offsets32[at:at+n+1]
				for i := range tags {
					tags[i] = h.Hash(t.data[offsets[i]:offsets[i+1]])
				}
			}
		})
		against(b, "call=offsets64/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashOffsets64(ours[at:at+n], t.data, t.offsets64[at:at+n+1])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, offsets := theirs[at:at+n], t.offsets64[at:at+n+1]
				for i := range tags {
					tags[i] = h.Hash(t.data[offsets[i]:offsets[i+1]])
				}
			}
		})
		against(b, "call=views/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashViews(ours[at:at+n], t.views[at:at+n], t.buffers)
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, views := theirs[at:at+n], t.views[at:at+n]
				for i := range tags {
					tags[i] = h.Hash(t.view(&views[i]))
				}
			}
		})
	}
}

func wideLoops(b *testing.B, h *siphash.HasherX) {
	u32s, u64s, u128s := loopIntegers()
	ours, theirs := make([]siphash.Uint128, loopMessages), make([]siphash.Uint128, loopMessages)
	against(b, "call=uint32s", loopSample, ours, theirs, func(at, end, n int) {
		for ; at < end; at += n {
			h.HashUint32s(ours[at:at+n], u32s[at:at+n])
		}
	}, func(at, end, n int) {
		for ; at < end; at += n {
			tags := theirs[at : at+n]
			for i, x := range u32s[at : at+n] {
				tags[i] = h.HashUint32(x)
			}
		}
	})
	against(b, "call=uint64s", loopSample, ours, theirs, func(at, end, n int) {
		for ; at < end; at += n {
			h.HashUint64s(ours[at:at+n], u64s[at:at+n])
		}
	}, func(at, end, n int) {
		for ; at < end; at += n {
			tags := theirs[at : at+n]
			for i, x := range u64s[at : at+n] {
				tags[i] = h.HashUint64(x)
			}
		}
	})
	against(b, "call=uint128s", loopSample, ours, theirs, func(at, end, n int) {
		for ; at < end; at += n {
			h.HashUint128s(ours[at:at+n], u128s[at:at+n])
		}
	}, func(at, end, n int) {
		for ; at < end; at += n {
			tags := theirs[at : at+n]
			for i, x := range u128s[at : at+n] {
				tags[i] = h.HashUint128(x)
			}
		}
	})
	for _, width := range []int{16, 24} {
		rows := randomBytes(width * loopMessages)
		against(b, fmt.Sprintf("call=rows/bytes=%d", width), loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashRows(ours[at:at+n], rows[at*width:(at+n)*width], width)
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, rows := theirs[at:at+n], rows[at*width:(at+n)*width]
				for i := range tags {
					tags[i] = h.Hash(rows[i*width : (i+1)*width])
				}
			}
		})
	}
	for _, lengths := range loopTexts {
		t := newLoopText(loopMessages, lengths)
		against(b, "call=strings/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashStrings(ours[at:at+n], t.strings[at:at+n])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags := theirs[at : at+n]
				for i, s := range t.strings[at : at+n] {
					tags[i] = h.HashString(s)
				}
			}
		})
		against(b, "call=slices/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashSlices(ours[at:at+n], t.slices[at:at+n])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags := theirs[at : at+n]
				for i, p := range t.slices[at : at+n] {
					tags[i] = h.Hash(p)
				}
			}
		})
		against(b, "call=offsets32/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashOffsets32(ours[at:at+n], t.data, t.offsets32[at:at+n+1])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, offsets := theirs[at:at+n], t.offsets32[at:at+n+1]
				for i := range tags {
					tags[i] = h.Hash(t.data[offsets[i]:offsets[i+1]])
				}
			}
		})
		against(b, "call=offsets64/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashOffsets64(ours[at:at+n], t.data, t.offsets64[at:at+n+1])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, offsets := theirs[at:at+n], t.offsets64[at:at+n+1]
				for i := range tags {
					tags[i] = h.Hash(t.data[offsets[i]:offsets[i+1]])
				}
			}
		})
		against(b, "call=views/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashViews(ours[at:at+n], t.views[at:at+n], t.buffers)
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, views := theirs[at:at+n], t.views[at:at+n]
				for i := range tags {
					tags[i] = h.Hash(t.view(&views[i]))
				}
			}
		})
	}
}

func halfSipHashLoops(b *testing.B, h *halfsiphash.Hasher) {
	u32s, u64s, _ := loopIntegers()
	ours, theirs := make([]uint32, loopMessages), make([]uint32, loopMessages)
	against(b, "call=uint32s", loopSample, ours, theirs, func(at, end, n int) {
		for ; at < end; at += n {
			h.HashUint32s(ours[at:at+n], u32s[at:at+n])
		}
	}, func(at, end, n int) {
		for ; at < end; at += n {
			tags := theirs[at : at+n]
			for i, x := range u32s[at : at+n] {
				tags[i] = h.HashUint32(x)
			}
		}
	})
	against(b, "call=uint64s", loopSample, ours, theirs, func(at, end, n int) {
		for ; at < end; at += n {
			h.HashUint64s(ours[at:at+n], u64s[at:at+n])
		}
	}, func(at, end, n int) {
		for ; at < end; at += n {
			tags := theirs[at : at+n]
			for i, x := range u64s[at : at+n] {
				tags[i] = h.HashUint64(x)
			}
		}
	})
	for _, width := range []int{16, 24} {
		rows := randomBytes(width * loopMessages)
		against(b, fmt.Sprintf("call=rows/bytes=%d", width), loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashRows(ours[at:at+n], rows[at*width:(at+n)*width], width)
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, rows := theirs[at:at+n], rows[at*width:(at+n)*width]
				for i := range tags {
					tags[i] = h.Hash(rows[i*width : (i+1)*width])
				}
			}
		})
	}
	for _, lengths := range loopTexts {
		t := newLoopText(loopMessages, lengths)
		against(b, "call=strings/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashStrings(ours[at:at+n], t.strings[at:at+n])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags := theirs[at : at+n]
				for i, s := range t.strings[at : at+n] {
					tags[i] = h.HashString(s)
				}
			}
		})
		against(b, "call=slices/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashSlices(ours[at:at+n], t.slices[at:at+n])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags := theirs[at : at+n]
				for i, p := range t.slices[at : at+n] {
					tags[i] = h.Hash(p)
				}
			}
		})
		against(b, "call=offsets32/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashOffsets32(ours[at:at+n], t.data, t.offsets32[at:at+n+1])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, offsets := theirs[at:at+n], t.offsets32[at:at+n+1]
				for i := range tags {
					tags[i] = h.Hash(t.data[offsets[i]:offsets[i+1]])
				}
			}
		})
		against(b, "call=offsets64/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashOffsets64(ours[at:at+n], t.data, t.offsets64[at:at+n+1])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, offsets := theirs[at:at+n], t.offsets64[at:at+n+1]
				for i := range tags {
					tags[i] = h.Hash(t.data[offsets[i]:offsets[i+1]])
				}
			}
		})
		against(b, "call=views/"+t.name, loopSample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				h.HashViews(ours[at:at+n], t.views[at:at+n], t.buffers)
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, views := theirs[at:at+n], t.views[at:at+n]
				for i := range tags {
					tags[i] = h.Hash(t.view(&views[i]))
				}
			}
		})
	}
}

func poly1305Loops(b *testing.B) {
	for _, lengths := range loopPackets {
		sample := loopSample
		if lengths[1]*sample > loopBytes {
			sample = 384
		}
		count := min(loopMessages, loopBytes/lengths[1]/sample*sample)
		t := newLoopText(count, lengths)
		keys := make([][poly1305.KeySize]byte, count)
		for i, bytes := 0, randomBytes(poly1305.KeySize*count); i < count; i++ {
			copy(keys[i][:], bytes[poly1305.KeySize*i:])
		}
		ours, theirs := make([][poly1305.TagSize]byte, count), make([][poly1305.TagSize]byte, count)
		against(b, "call=sum/"+t.name, sample, ours, theirs, func(at, end, n int) {
			for ; at < end; at += n {
				poly1305.SumMany(ours[at:at+n], keys[at:at+n], t.slices[at:at+n])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				tags, keys := theirs[at:at+n], keys[at:at+n]
				for i, p := range t.slices[at : at+n] {
					poly1305.Sum(&tags[i], p, &keys[i])
				}
			}
		})
		macs := make([][poly1305.TagSize]byte, count)
		for i, p := range t.slices {
			// Every third tag is wrong.
			if poly1305.Sum(&macs[i], p, &keys[i]); i%3 == 0 {
				macs[i][0]++
			}
		}
		good, right := make([]bool, count), make([]bool, count)
		against(b, "call=verify/"+t.name, sample, good, right, func(at, end, n int) {
			for ; at < end; at += n {
				poly1305.VerifyMany(good[at:at+n], macs[at:at+n], keys[at:at+n], t.slices[at:at+n])
			}
		}, func(at, end, n int) {
			for ; at < end; at += n {
				good, macs, keys := right[at:at+n], macs[at:at+n], keys[at:at+n]
				for i, p := range t.slices[at : at+n] {
					good[i] = poly1305.Verify(&macs[i], p, &keys[i])
				}
			}
		})
	}
}
