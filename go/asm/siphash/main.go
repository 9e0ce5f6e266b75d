// Command siphash generates the amd64 assembly of packages siphash and halfsiphash. It hashes many messages of
// equally many words, one in each lane of a vector.
//
// A function steps several vectors together, so the latency of one hides behind the others. It steps four vectors with
// the 32 registers of AVX-512, and two with the 16 registers of AVX2. Messages come transposed: the first words of all
// lanes, then the second words, and so on.
//
// Two tricks save operations:
//
//   - First round: its first half adds v1 to v0 before the message is involved, so this sum is computed once.
//   - Last round of SipHash: v0 + v3 cancels out of the tag, since v3 is xored with it. Let s = v2 + v1 in the second
//     half. Then the tag is rotl(v1, 17) ^ rotl(v3, 21) ^ s ^ rotl(s, 32).
//
// Operations of a round of one vector:
//
//	AVX-512  14  the rotation by 32 is a shuffle, since rotations have fewer ports
//	AVX2     20  a rotation is two shifts and an or, or one shuffle if it moves whole bytes
package main

import (
	"flag"
	"fmt"
	"log"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A word holds the parameters that differ between SipHash and HalfSipHash.
type word struct {
	bits      int
	rotations [5]int // of v1 and v3 in the first half round, v1 and v3 in the second, and of v0 and v2
	all       bool   // whether the tag is the xor of all words, or of v1 and v3 only
	end, wide int    // the constants before the final rounds of a short tag and of a wide tag
}

const second = 0xdd // the constant before the second half of a wide tag

var words = map[int]word{
	64: {64, [5]int{13, 16, 17, 21, 32}, true, 0xff, 0xee},
	32: {32, [5]int{5, 8, 13, 7, 16}, false, 0xff, 0xee},
}

// vectors is an instruction set and its registers.
type vectors struct {
	word
	name       string
	bytes      int // in a vector
	registers  []reg.VecPhysical
	v          [][4]reg.VecPhysical // the states
	half0      reg.VecPhysical      // the same for all messages: v0 after the first half round,
	half1      reg.VecPhysical      // v1 after it,
	rotated1   reg.VecPhysical      // v1 after it, rotated for the second half round,
	v2, v3     reg.VecPhysical      // and the initial v2 and v3
	spare      []reg.VecPhysical
	used, next int
	masks      map[int]Mem // shuffle masks of rotations
}

func newVectors(w word, name string) *vectors {
	x := &vectors{word: w, name: name, masks: map[int]Mem{}}
	groups := 2
	switch name {
	case "AVX512":
		x.bytes, groups = 64, 4
		x.registers = []reg.VecPhysical{
			reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11,
			reg.Z12, reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22,
			reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
		}
	case "AVX2":
		x.bytes = 32
		x.registers = []reg.VecPhysical{
			reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11,
			reg.Y12, reg.Y13, reg.Y14, reg.Y15,
		}
	}
	for range groups {
		x.v = append(x.v, [4]reg.VecPhysical{x.take(), x.take(), x.take(), x.take()})
	}
	x.half0, x.half1, x.rotated1, x.v2, x.v3 = x.take(), x.take(), x.take(), x.take(), x.take()
	x.spare = x.registers[x.used:]
	return x
}

func (x *vectors) take() reg.VecPhysical {
	x.used++
	return x.registers[x.used-1]
}

// temp returns the spare registers in turn.
func (x *vectors) temp() reg.VecPhysical {
	x.next++
	return x.spare[x.next%len(x.spare)]
}

func (x *vectors) lanes() int { return x.bytes * 8 / x.bits * len(x.v) }

// size returns the bytes that one word of all messages takes.
func (x *vectors) size() int { return x.bytes * len(x.v) }

func (x *vectors) add(a, b, sum Op) {
	if x.bits == 64 {
		VPADDQ(a, b, sum)
	} else {
		VPADDD(a, b, sum)
	}
}

func (x *vectors) xor(a, b, to Op) {
	if x.bytes == 64 {
		VPXORQ(a, b, to)
	} else {
		VPXOR(a, b, to)
	}
}

// rotl rotates the lanes of a to the left.
func (x *vectors) rotl(n int, a, to reg.VecPhysical) {
	switch {
	case x.bits == 64 && n == 32:
		VPSHUFD(U8(0xb1), a, to)
	case x.bytes == 64 && x.bits == 64:
		VPROLQ(U8(n), a, to)
	case x.bytes == 64:
		VPROLD(U8(n), a, to)
	case n%8 == 0:
		VPSHUFB(x.mask(n), a, to)
	case x.bits == 64:
		t := x.temp()
		VPSLLQ(U8(n), a, t)
		VPSRLQ(U8(64-n), a, to)
		VPOR(t, to, to)
	default:
		t := x.temp()
		VPSLLD(U8(n), a, t)
		VPSRLD(U8(32-n), a, to)
		VPOR(t, to, to)
	}
}

// mask returns the shuffle mask that rotates words by n bits, for 32 bytes.
func (x *vectors) mask(n int) Mem {
	if m, ok := x.masks[n]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("turn%d", n), RODATA|NOPTR)
	size := x.bits / 8
	for i := range 32 {
		at := i % 16
		DATA(i, U8(at/size*size+(at+size-n/8)%size))
	}
	x.masks[n] = m
	return m
}

func (x *vectors) broadcast(from Op, to reg.VecPhysical) {
	if x.bits == 64 {
		VPBROADCASTQ(from, to)
	} else {
		VPBROADCASTD(from, to)
	}
}

func (x *vectors) move(from, to Op) {
	if x.bytes == 64 {
		VMOVDQU64(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

// each does each step for all states, which do not depend on each other.
func (x *vectors) each(steps ...func(i int, v [4]reg.VecPhysical)) {
	for _, step := range steps {
		for i, v := range x.v {
			step(i, v)
		}
	}
}

func (x *vectors) firstHalf() {
	x.each(
		func(_ int, v [4]reg.VecPhysical) { x.add(v[1], v[0], v[0]) },
		func(_ int, v [4]reg.VecPhysical) { x.add(v[3], v[2], v[2]) },
		func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[0], v[1], v[1]) },
		func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[1], v[3], v[3]) },
		func(_ int, v [4]reg.VecPhysical) { x.xor(v[0], v[1], v[1]) },
		func(_ int, v [4]reg.VecPhysical) { x.xor(v[2], v[3], v[3]) },
	)
}

// turn rotates one word at the end of a half round.
func (x *vectors) turn(at int) {
	x.each(func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[4], v[at], v[at]) })
}

func (x *vectors) round() {
	x.firstHalf()
	x.turn(0)
	x.each(
		func(_ int, v [4]reg.VecPhysical) { x.add(v[1], v[2], v[2]) },
		func(_ int, v [4]reg.VecPhysical) { x.add(v[3], v[0], v[0]) },
		func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[2], v[1], v[1]) },
		func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[3], v[3], v[3]) },
		func(_ int, v [4]reg.VecPhysical) { x.xor(v[2], v[1], v[1]) },
		func(_ int, v [4]reg.VecPhysical) { x.xor(v[0], v[3], v[3]) },
	)
	x.turn(2)
}

// firstRound is the round of a message's first word, at from.
func (x *vectors) firstRound(from reg.Register) {
	x.each(
		func(i int, v [4]reg.VecPhysical) { x.xor(Mem{Base: from, Disp: i * x.bytes}, x.v3, v[3]) },
		func(_ int, v [4]reg.VecPhysical) { x.add(v[3], x.v2, v[2]) },
		func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[1], v[3], v[3]) },
		func(_ int, v [4]reg.VecPhysical) { x.xor(v[2], v[3], v[3]) },
		func(_ int, v [4]reg.VecPhysical) { x.add(x.half1, v[2], v[2]) },
		func(_ int, v [4]reg.VecPhysical) { x.add(v[3], x.half0, v[0]) },
		func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[3], v[3], v[3]) },
		func(_ int, v [4]reg.VecPhysical) { x.xor(v[2], x.rotated1, v[1]) },
		func(_ int, v [4]reg.VecPhysical) { x.xor(v[0], v[3], v[3]) },
		func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[4], v[2], v[2]) },
	)
}

// rounds does n >= 0 rounds and leaves n = 0.
func (x *vectors) rounds(name string, n reg.Register) {
	TESTQ(n, n)
	JZ(LabelRef(name + "done"))
	Label(name)
	x.round()
	DECQ(n)
	JNZ(LabelRef(name))
	Label(name + "done")
}

// mark xors a constant into one word of all states.
func (x *vectors) mark(constant, at int) {
	t, general := x.temp(), GP64()
	MOVQ(U32(constant), general)
	x.fill(general, t)
	x.each(func(_ int, v [4]reg.VecPhysical) { x.xor(t, v[at], v[at]) })
}

// fill copies the word in general to all lanes.
func (x *vectors) fill(general reg.GPVirtual, to reg.VecPhysical) {
	switch low := to.AsX(); {
	case x.bytes == 64 && x.bits == 64:
		VPBROADCASTQ(general, to)
	case x.bytes == 64:
		VPBROADCASTD(general.As32(), to)
	default:
		VMOVQ(general, low)
		x.broadcast(low, to)
	}
}

// tag stores the tags.
func (x *vectors) tag(to reg.Register, disp int) {
	x.each(func(i int, v [4]reg.VecPhysical) {
		t := x.temp()
		x.xor(v[1], v[3], t)
		if x.all {
			x.xor(v[0], t, t)
			x.xor(v[2], t, t)
		}
		x.move(t, Mem{Base: to, Disp: disp + i*x.bytes})
	})
}

// lastRound does the last round and stores the tags. It leaves out what does not reach a tag.
func (x *vectors) lastRound(to reg.Register, disp int) {
	x.firstHalf()
	if !x.all {
		x.turn(0)
	}
	x.each(
		func(_ int, v [4]reg.VecPhysical) { x.add(v[1], v[2], v[2]) },
		func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[2], v[1], v[1]) },
	)
	if !x.all {
		x.each(func(_ int, v [4]reg.VecPhysical) { x.add(v[3], v[0], v[0]) })
	}
	x.each(
		func(_ int, v [4]reg.VecPhysical) { x.rotl(x.rotations[3], v[3], v[3]) },
		func(_ int, v [4]reg.VecPhysical) { x.xor(v[2], v[1], v[1]) },
	)
	if x.all {
		x.turn(2)
		x.each(func(_ int, v [4]reg.VecPhysical) { x.xor(v[2], v[1], v[1]) })
	} else {
		x.each(func(_ int, v [4]reg.VecPhysical) { x.xor(v[0], v[1], v[1]) })
	}
	x.each(
		func(_ int, v [4]reg.VecPhysical) { x.xor(v[3], v[1], v[1]) },
		func(i int, v [4]reg.VecPhysical) { x.move(v[1], Mem{Base: to, Disp: disp + i*x.bytes}) },
	)
}

// function generates the kernel for short tags or for wide ones.
func (x *vectors) function(wide bool) {
	name, tags := "lanes", "the tags of its messages"
	if wide {
		name, tags = "lanesX", "the low halves of all its tags, then the high halves"
	}
	name += x.name
	integer := fmt.Sprintf("uint%d", x.bits)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(v, dst, src *%s, groups, n, c, d int, length %[1]s)", integer))
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s hashes one or more groups of %d messages, starting from the state of four words at v.", name, x.lanes()),
		"In src a group is n >= 1 words of each message: the first words of all lanes, then the second words,",
		"and so on. A length other than 0 is one more word of every message.",
		fmt.Sprintf("In dst a group is %s.", tags),
	)
	v := Load(Param("v"), GP64())
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	groups := Load(Param("groups"), GP64())
	n := Load(Param("n"), GP64())
	c := Load(Param("c"), GP64())
	d := Load(Param("d"), GP64())

	Comment("The part of the first round that is the same for all messages.")
	at := func(i int) Mem { return Mem{Base: v, Disp: i * x.bits / 8} }
	x.broadcast(at(0), x.half0)
	x.broadcast(at(1), x.half1)
	x.broadcast(at(2), x.v2)
	x.broadcast(at(3), x.v3)
	x.add(x.half1, x.half0, x.half0)
	x.rotl(x.rotations[0], x.half1, x.half1)
	x.xor(x.half0, x.half1, x.half1)
	x.rotl(x.rotations[4], x.half0, x.half0)
	x.rotl(x.rotations[2], x.half1, x.rotated1)

	left, r := GP64(), GP64()
	Label("group")
	Comment("The first word.")
	x.firstRound(src)
	MOVQ(c, r)
	DECQ(r)
	x.rounds("first", r)
	x.each(func(i int, v [4]reg.VecPhysical) { x.xor(Mem{Base: src, Disp: i * x.bytes}, v[0], v[0]) })
	ADDQ(I32(x.size()), src)

	Comment("The other words.")
	MOVQ(n, left)
	DECQ(left)
	JZ(LabelRef("length"))
	Label("word")
	x.each(func(i int, v [4]reg.VecPhysical) { x.xor(Mem{Base: src, Disp: i * x.bytes}, v[3], v[3]) })
	MOVQ(c, r)
	x.rounds("others", r)
	x.each(func(i int, v [4]reg.VecPhysical) { x.xor(Mem{Base: src, Disp: i * x.bytes}, v[0], v[0]) })
	ADDQ(I32(x.size()), src)
	DECQ(left)
	JNZ(LabelRef("word"))

	Label("length")
	length := GP64()
	if x.bits == 64 {
		Load(Param("length"), length)
	} else {
		Load(Param("length"), length.As32())
	}
	TESTQ(length, length)
	JZ(LabelRef("end"))
	t := x.temp()
	x.fill(length, t)
	x.each(func(_ int, v [4]reg.VecPhysical) { x.xor(t, v[3], v[3]) })
	MOVQ(c, r)
	x.rounds("last", r)
	x.fill(length, t)
	x.each(func(_ int, v [4]reg.VecPhysical) { x.xor(t, v[0], v[0]) })

	Label("end")
	MOVQ(d, r)
	DECQ(r)
	if wide {
		x.mark(x.wide, 2)
		x.rounds("low", r)
		x.round()
		x.tag(dst, 0)
		x.mark(second, 1)
		MOVQ(d, r)
		DECQ(r)
		x.rounds("high", r)
		x.lastRound(dst, x.size())
		ADDQ(I32(2*x.size()), dst)
	} else {
		x.mark(x.end, 2)
		x.rounds("low", r)
		x.lastRound(dst, 0)
		ADDQ(I32(x.size()), dst)
	}
	DECQ(groups)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// transposition generates the function that gathers the words of messages, four messages at a time. It serves all
// vectors, since loads bound its speed.
func transposition(bits int) {
	size := bits / 8
	integer := fmt.Sprintf("uint%d", bits)
	TEXT("transposeAVX2", NOSPLIT, fmt.Sprintf("func(dst *%s, messages **byte, lengths *uint8, lanes, n int)", integer))
	Pragma("noescape")
	Doc(
		fmt.Sprintf("transposeAVX2 writes the words of messages of %d bytes or more to dst. The order is: the first", size),
		"words of all lanes, then the second words, and so on. The last byte of a message's last word is its length.",
		fmt.Sprintf("The number of lanes is a multiple of four. Every length must satisfy length / %d + 1 = n.", size),
	)
	dst := Load(Param("dst"), GP64())
	messages := Load(Param("messages"), GP64())
	lengths := Load(Param("lengths"), GP64())
	lanes := Load(Param("lanes"), GP64())
	n := Load(Param("n"), GP64())
	stride, left := GP64(), GP64()
	DECQ(n)
	MOVQ(lanes, stride)
	IMUL3Q(U8(size), stride, stride)
	MOVQ(lanes, left)

	// The last word is shifted by whole - 8 (length & rest) bits. If no byte follows the last whole word, that is all
	// bits.
	rest, whole := broadcast(bits, size-1), broadcast(bits, bits)

	Label("four")
	p := [4]reg.GPVirtual{GP64(), GP64(), GP64(), GP64()}
	for i, p := range p {
		MOVQ(Mem{Base: messages, Disp: 8 * i}, p)
	}
	to, w := GP64(), GP64()
	MOVQ(dst, to)
	XORQ(w, w)
	Label("word")
	VMOVDQU(gather(bits, func(i int) Mem { return Mem{Base: p[i], Index: w, Scale: uint8(size)} }), Mem{Base: to})
	ADDQ(stride, to)
	INCQ(w)
	CMPQ(w, n)
	JB(LabelRef("word"))

	Comment("The last bytes, with the length above them.")
	length := [4]reg.GPVirtual{GP64(), GP64(), GP64(), GP64()}
	for i, length := range length {
		MOVBQZX(Mem{Base: lengths, Disp: i}, length)
	}
	last := gather(bits, func(i int) Mem { return Mem{Base: p[i], Index: length[i], Scale: 1, Disp: -size} })
	if bits == 64 {
		all, shift := YMM(), YMM()
		VPMOVZXBQ(Mem{Base: lengths}, all)
		VPAND(all, rest, shift)
		VPSLLQ(U8(3), shift, shift)
		VPSUBQ(shift, whole, shift)
		VPSRLVQ(shift, last, last)
		VPSLLQ(U8(56), all, all)
		VPOR(all, last, last)
	} else {
		all, shift := XMM(), XMM()
		VPMOVZXBD(Mem{Base: lengths}, all)
		VPAND(all, rest, shift)
		VPSLLD(U8(3), shift, shift)
		VPSUBD(shift, whole, shift)
		VPSRLVD(shift, last, last)
		VPSLLD(U8(24), all, all)
		VPOR(all, last, last)
	}
	VMOVDQU(last, Mem{Base: to})

	ADDQ(U8(8*4), messages)
	ADDQ(U8(size*4), dst)
	ADDQ(U8(4), lengths)
	SUBQ(U8(4), left)
	JNZ(LabelRef("four"))
	VZEROUPPER()
	RET()
}

// broadcast returns four copies of a constant.
func broadcast(bits, constant int) reg.VecVirtual {
	general, low := GP64(), XMM()
	MOVQ(U32(constant), general)
	VMOVQ(general, low)
	if bits == 64 {
		VPBROADCASTQ(low, low.AsY())
		return low.AsY().(reg.VecVirtual)
	}
	VPBROADCASTD(low, low)
	return low
}

// gather loads four words.
func gather(bits int, at func(i int) Mem) reg.VecVirtual {
	low, high := XMM(), XMM()
	if bits == 32 {
		VMOVD(at(0), low)
		for i := 1; i < 4; i++ {
			VPINSRD(U8(i), at(i), low, low)
		}
		return low
	}
	VMOVQ(at(0), low)
	VPINSRQ(U8(1), at(1), low, low)
	VMOVQ(at(2), high)
	VPINSRQ(U8(1), at(3), high, high)
	all := YMM()
	VINSERTI128(U8(1), high, low.AsY(), all)
	return all
}

func main() {
	bits := flag.Int("word", 64, "bits in a word: 64 for SipHash, 32 for HalfSipHash")
	flag.Parse()
	name := map[int]string{64: "siphash", 32: "halfsiphash"}[*bits]
	for option, value := range map[string]string{
		"pkg": name, "out": "../" + name + "/lanes_amd64.s", "stubs": "../" + name + "/lanes_amd64.go",
	} {
		if err := flag.Set(option, value); err != nil {
			log.Fatal(err)
		}
	}
	ConstraintExpr("!purego")
	masks := map[int]Mem{}
	for _, name := range []string{"AVX512", "AVX2"} {
		x := newVectors(words[*bits], name)
		x.masks = masks
		x.function(false)
		x.function(true)
	}
	transposition(*bits)
	Generate()
}
