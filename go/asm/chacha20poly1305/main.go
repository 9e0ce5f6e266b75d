// Command chacha20poly1305 generates the amd64 assembly of package chacha20poly1305: ChaCha20, many blocks at a time.
//
//   - Vertical: sixteen vectors hold the sixteen words of N blocks, a block in each lane. A transposition brings the blocks
//     into the order of memory. The lanes belong to one message, or to several.
//   - In rows: a row of four words is a quarter of a vector of 512 bits, so four vectors hold four blocks. The diagonals of
//     a double round become columns by shuffles. For messages with too few blocks to fill the lanes.
//
// For each instruction set there are two functions:
//
//	xor     XORs whole blocks of one message with its key stream. Nothing is written behind them
//	lanes   writes the key stream of up to sixteen blocks, whose inputs are the columns of a table
//
// The operations of twenty rounds of N blocks are 320 additions, 320 XORs and 320 rotations. A rotation is
//
//	AVX-512  1
//	AVX2     1 by whole bytes, else 3
//	SSE2     2 by half a word, else 3 and a copy
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	makeConstants()
	for _, set := range []*set{
		{name: "AVX512", vectors: avx512{}, registers: zmm[:]},
		{name: "AVX2", vectors: avx2{}, registers: ymm[:16]},
		{name: "SSE2", vectors: sse2{}, registers: xmm[:16]},
	} {
		set.xor()
		set.lanes()
	}
	Generate()
}

var zmm, ymm, xmm [32]reg.VecPhysical

func init() {
	for i, z := range []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12,
		reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24,
		reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	} {
		zmm[i], ymm[i], xmm[i] = z, z.AsY().(reg.VecPhysical), z.AsX().(reg.VecPhysical)
	}
}

// The constants in memory.
var (
	sigma Mem // the first four words of every block's input
	iota_ Mem // 0, 1, ..., 15
	rows  Mem // what is added to the block's number in each row: 0 0 0 0, 1 0 0 0, ..., 5 0 0 0
	by16  Mem // the shuffles that rotate words by 16, and by 8
	by8   Mem
)

func makeConstants() {
	const kind = attr.RODATA | attr.NOPTR
	sigma = GLOBL("sigma", kind)
	for i, word := range []uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} {
		DATA(4*i, U32(word))
	}
	iota_ = GLOBL("numbers", kind)
	for i := range 16 {
		DATA(4*i, U32(i))
	}
	rows = GLOBL("rows", kind)
	for i := range 6 {
		DATA(16*i, U64(i))
		DATA(16*i+8, U64(0))
	}
	by16, by8 = shuffle("by16", 2), shuffle("by8", 3)
}

func shuffle(name string, first int) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range 32 {
		DATA(i, U8(i%16/4*4+(i+first)%4))
	}
	return m
}

// vectors are the operations that the instruction sets share. Operands are in the order of Go's assembly.
type vectors interface {
	bytes() int
	// move loads or stores a vector.
	move(from, to Op)
	// broadcast copies a word in memory to all lanes, and broadcastRegister one in a register.
	broadcast(m Mem, v reg.VecPhysical)
	broadcastRegister(r reg.GPVirtual, v reg.VecPhysical)
	// row copies four words in memory to each 16 bytes.
	row(m Mem, v reg.VecPhysical)
	add(a, v reg.VecPhysical)
	// addMem adds a vector in memory to v. It may use t.
	addMem(m Mem, v, t reg.VecPhysical)
	xor(a, v reg.VecPhysical)
	xorMem(m Mem, v, t reg.VecPhysical)
	// rotate rotates the words of v to the left. It may use t.
	rotate(bits int, v, t reg.VecPhysical)
	// shuffle moves the words in each 16 bytes.
	shuffle(order int, v reg.VecPhysical)
	// unpack puts the words, or double words, of the low or high halves of a and b by turns into v, which may be a.
	unpack(isHigh bool, bits int, a, b, v reg.VecPhysical)
	zero(v reg.VecPhysical)
	end()
}

// A set is an instruction set, and the function that is being generated.
type set struct {
	vectors
	name      string
	registers []reg.VecPhysical
	labels    int

	// The arguments of xor.
	dst, src, left, key, tail reg.Register
	counter                   reg.GPVirtual
	// The arguments of lanes, which are 0 in xor.
	out, table reg.Register
	slots      Mem
}

// label returns a new name.
func (s *set) label(name string) string {
	s.labels++
	return fmt.Sprintf("%s%d", name, s.labels)
}

func load(name string) reg.Register {
	r := GP64()
	Load(Param(name), r)
	return r
}

func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

// text begins a function whose arguments do not escape.
func (s *set) text(name, arguments string) {
	TEXT(name+s.name, attr.NOSPLIT, "func("+arguments+")")
	Pragma("noescape")
	if s.name != "AVX512" {
		s.slots = AllocLocal(4 * s.bytes())
	}
}

// xor generates the function for one message. Its blocks are counted in 32 bits.
func (s *set) xor() {
	s.text("xor", "dst, src *byte, blocks int, key *[8]uint32, first, last uint64")
	s.out = nil
	s.dst, s.src, s.left, s.key = load("dst"), load("src"), load("blocks"), load("key")
	first, err := Param("first").Resolve()
	if err != nil {
		panic(err)
	}
	s.tail, s.counter = GP64(), GP32()
	LEAQ(first.Addr, s.tail)
	MOVL(at(s.tail, 0), s.counter)
	switch s.name {
	case "AVX512":
		s.few(4, "four", "next")
		s.few(8, "eight", "")
		s.vertical512(zmm, 9)
		s.next(16)
		Label("eight")
		s.vertical512(ymm, 5)
		JMP(LabelRef("done"))
		Label("four")
		s.rows512()
	case "AVX2":
		s.few(2, "two", "next")
		s.few(4, "four", "")
		s.few(6, "six", "")
		s.verticalTight()
		s.next(8)
		Label("six")
		s.rowsTight(3)
		JMP(LabelRef("done"))
		Label("four")
		s.rowsTight(2)
		JMP(LabelRef("done"))
		Label("two")
		s.rowsTight(1)
	case "SSE2":
		s.few(2, "two", "next")
		s.verticalTight()
		s.next(4)
		Label("two")
		s.rowsTight(2)
	}
	Label("done")
	s.wipe()
	s.end()
	RET()
}

// few jumps if there are at most n blocks. A label stands before it.
func (s *set) few(n int, to, label string) {
	if label != "" {
		Label(label)
	}
	CMPQ(s.left, U8(n))
	JBE(LabelRef(to))
}

// next advances by n blocks and jumps to the beginning if there are more.
func (s *set) next(n int) {
	SUBQ(U8(n), s.left)
	JBE(LabelRef("done"))
	ADDQ(U32(64*n), s.dst)
	ADDQ(U32(64*n), s.src)
	ADDL(U8(n), s.counter)
	JMP(LabelRef("next"))
}

// lanes generates the function for many messages: word i of the input of block j is word j of row i of the table. It has
// words 4 to 15, and sixteen columns.
func (s *set) lanes() {
	s.text("lanes", "out *[1024]byte, table *[192]uint32, blocks int")
	s.out, s.table, s.left = load("out"), load("table"), load("blocks")
	if s.name == "AVX512" {
		s.few(8, "eight", "")
		s.vertical512(zmm, 16)
		JMP(LabelRef("done"))
		Label("eight")
		s.vertical512(ymm, 8)
	} else {
		n := s.bytes() / 4
		Label("next")
		s.verticalTight()
		ADDQ(U32(64*n), s.out)
		ADDQ(U8(4*n), s.table)
		SUBQ(U8(n), s.left)
		JA(LabelRef("next"))
	}
	Label("done")
	s.wipe()
	s.end()
	RET()
}

// wipe overwrites the words that had no register.
func (s *set) wipe() {
	if s.name == "AVX512" {
		return
	}
	zero := s.registers[0]
	s.zero(zero)
	for i := range 4 {
		s.move(zero, s.slot(i))
	}
}

func (s *set) slot(i int) Mem { return s.slots.Offset(i * s.bytes()) }

// word returns where word i of the input is, which is the same in all lanes.
func (s *set) word(i int) Mem {
	switch {
	case i < 4:
		return sigma.Offset(4 * i)
	case i < 12:
		return at(s.key, 4*(i-4))
	default:
		return at(s.tail, 4*(i-12))
	}
}

// input puts word i of the input into v. It may use t.
func (s *set) input(i int, v, t reg.VecPhysical) {
	switch {
	case i < 4 || s.out == nil && i != 12:
		s.broadcast(s.word(i), v)
	case s.out != nil:
		s.move(at(s.table, 64*(i-4)), v)
	default:
		s.broadcastRegister(s.counter, v)
		s.addMem(iota_, v, t)
	}
}

// The words of the quarter rounds: columns, then diagonals.
var quarters = [2][4][4]int{
	{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}},
	{{0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14}},
}

// step generates step 0, 1, 2 or 3 of two quarter rounds: a += b, d ^= a, d <<<= bits, and so on.
func (s *set) step(number int, p, q [4]reg.VecPhysical, t [2]reg.VecPhysical) {
	bits := [4]int{16, 12, 8, 7}[number]
	a, b, d := 0, 1, 3
	if number%2 == 1 {
		a, b, d = 2, 3, 1
	}
	s.add(p[b], p[a])
	s.add(q[b], q[a])
	s.vectors.xor(p[a], p[d])
	s.vectors.xor(q[a], q[d])
	s.rotate(bits, p[d], t[0])
	s.rotate(bits, q[d], t[1])
}

// loop generates the ten double rounds.
func (s *set) loop(double func()) {
	n, label := GP32(), s.label("rounds")
	MOVL(U32(10), n)
	Label(label)
	double()
	DECL(n)
	JNZ(LabelRef(label))
}

// verticalTight generates N blocks in sixteen registers, for instruction sets that have no more. Two of the words 8 to 11
// wait in memory.
func (s *set) verticalTight() {
	v := s.registers
	t := [2]reg.VecPhysical{v[10], v[11]}
	for i := 2; i < 4; i++ {
		s.input(8+i, t[0], t[1])
		s.move(t[0], s.slot(i))
	}
	for i := range 16 {
		if i != 10 && i != 11 {
			s.input(i, v[i], t[0])
		}
	}
	pair := func(p, q [4]int) {
		var a, b [4]reg.VecPhysical
		for i := range 4 {
			a[i], b[i] = v[p[i]], v[q[i]]
		}
		a[2], b[2] = v[8], v[9] // where the two of words 8 to 11 are
		for i := range 4 {
			s.step(i, a, b, t)
		}
	}
	swap := func(out, in int) {
		s.move(v[8], s.slot(out))
		s.move(v[9], s.slot(out+1))
		s.move(s.slot(in), v[8])
		s.move(s.slot(in+1), v[9])
	}
	s.loop(func() {
		columns, diagonals := quarters[0], quarters[1]
		pair(columns[0], columns[1])
		swap(0, 2)
		pair(columns[2], columns[3])
		pair(diagonals[0], diagonals[1])
		swap(2, 0)
		pair(diagonals[2], diagonals[3])
	})

	// Words 0 to 7 leave first, so that there are registers for words 10 and 11.
	for half := range 2 {
		var quads [2][4]reg.VecPhysical
		free := t
		for g := range 2 {
			first := 8*half + 4*g
			words := [4]reg.VecPhysical(v[first:])
			if first == 8 {
				words[2], words[3] = v[0], v[1]
				free = [2]reg.VecPhysical{v[2], v[3]}
				s.move(s.slot(2), words[2])
				s.move(s.slot(3), words[3])
			}
			for i, word := range words {
				s.input(first+i, free[0], free[1])
				s.add(free[0], word)
			}
			quads[g], free = s.transpose4(words, free)
			if s.bytes() == 16 {
				for i, quad := range quads[g] {
					s.put(quad, free[0], i, 4*first, 3)
				}
				free = [2]reg.VecPhysical{quads[g][0], quads[g][1]}
			}
		}
		if s.bytes() == 32 {
			for i := range 4 {
				VPERM2I128(U8(0x20), quads[1][i], quads[0][i], free[0])
				s.put(free[0], free[1], i, 32*half, 7)
				VPERM2I128(U8(0x31), quads[1][i], quads[0][i], free[0])
				s.put(free[0], free[1], i+4, 32*half, 7)
			}
		}
	}
}

// put puts v, a piece of block number i, where it belongs. The last block may be one too many.
func (s *set) put(v, t reg.VecPhysical, i, piece, last int) {
	if s.out != nil {
		s.move(v, at(s.out, 64*i+piece))
		return
	}
	if i == last {
		absent := s.label("absent")
		CMPQ(s.left, U8(last))
		JBE(LabelRef(absent))
		defer Label(absent)
	}
	s.xorMem(at(s.src, 64*i+piece), v, t)
	s.move(v, at(s.dst, 64*i+piece))
}

// transpose4 transposes 4 by 4 words in each 16 bytes. It returns the four vectors and two that are free.
func (s *set) transpose4(w [4]reg.VecPhysical, t [2]reg.VecPhysical) (quads [4]reg.VecPhysical, free [2]reg.VecPhysical) {
	s.unpack(false, 32, w[0], w[1], t[0])
	s.unpack(false, 32, w[2], w[3], t[1])
	s.unpack(true, 32, w[0], w[1], w[0])
	s.unpack(true, 32, w[2], w[3], w[2])
	s.unpack(false, 64, t[0], t[1], w[1])
	s.unpack(true, 64, t[0], t[1], w[3])
	s.unpack(false, 64, w[0], w[2], t[0])
	s.unpack(true, 64, w[0], w[2], t[1])
	return [4]reg.VecPhysical{w[1], w[3], t[0], t[1]}, [2]reg.VecPhysical{w[0], w[2]}
}

// rowsTight generates up to n groups of as many blocks as a vector has rows. The last block may be absent.
func (s *set) rowsTight(n int) {
	v := s.registers
	t := [3]reg.VecPhysical{v[12], v[13], v[14]}
	last := v[15]
	wide := s.bytes() / 16
	s.counterRow(last)
	group := make([][4]reg.VecPhysical, n)
	for g := range group {
		group[g] = [4]reg.VecPhysical(v[4*g:])
		s.row(sigma, group[g][0])
		s.row(at(s.key, 0), group[g][1])
		s.row(at(s.key, 16), group[g][2])
		s.move(last, group[g][3])
		if g > 0 || wide > 1 {
			s.addMem(rows.Offset(16*wide*g), group[g][3], t[0])
		}
	}
	s.loop(func() { s.doubleRoundOfRows(group, t[:]) })
	for g, r := range group {
		s.row(sigma, t[0])
		s.add(t[0], r[0])
		s.row(at(s.key, 0), t[0])
		s.add(t[0], r[1])
		s.row(at(s.key, 16), t[0])
		s.add(t[0], r[2])
		s.add(last, r[3])
		if g > 0 || wide > 1 {
			s.addMem(rows.Offset(16*wide*g), r[3], t[0])
		}
		if wide == 1 {
			for i, row := range r {
				s.put(row, t[0], g, 16*i, n-1)
			}
			continue
		}
		for i, half := range []uint8{0x20, 0x31} {
			for j := range 2 {
				VPERM2I128(U8(half), r[2*j+1], r[2*j], t[0])
				s.put(t[0], t[1], 2*g+i, 32*j, 2*n-1)
			}
		}
	}
}

// counterRow puts words 12 to 15 of the next block into each 16 bytes of v. They are joined in a register, because a load
// cannot take several recent stores.
func (s *set) counterRow(v reg.VecPhysical) {
	x := v.AsX()
	low := GP64()
	MOVL(at(s.tail, 4), low.As32())
	SHLQ(U8(32), low)
	ORQ(s.counter.As64(), low)
	switch s.bytes() {
	case 16:
		t := s.registers[14]
		MOVQ(low, x)
		MOVQ(at(s.tail, 8), t)
		PUNPCKLQDQ(t, x)
	case 32:
		VMOVQ(low, x)
		VPINSRQ(U8(1), at(s.tail, 8), x, x)
		VINSERTI128(U8(1), x, v, v)
	case 64:
		VMOVQ(low, x)
		VPINSRQ(U8(1), at(s.tail, 8), x, x)
		VSHUFI32X4(U8(0), v, v, v)
	}
}

// doubleRoundOfRows generates a double round of groups of four rows. Row 1 is ready last, so the others move.
func (s *set) doubleRoundOfRows(groups [][4]reg.VecPhysical, t []reg.VecPhysical) {
	const word1First, word2First, word3First = 0b00_11_10_01, 0b01_00_11_10, 0b10_01_00_11
	for half := range 2 {
		for number, bits := range []int{16, 12, 8, 7} {
			a, b, d := 0, 1, 3
			if number%2 == 1 {
				a, b, d = 2, 3, 1
			}
			for _, r := range groups {
				s.add(r[b], r[a])
			}
			for _, r := range groups {
				s.vectors.xor(r[a], r[d])
			}
			for i, r := range groups {
				s.rotate(bits, r[d], t[i%len(t)])
			}
		}
		first, third := word3First, word1First
		if half == 1 {
			first, third = third, first
		}
		for _, r := range groups {
			s.shuffle(first, r[0])
			s.shuffle(word2First, r[3])
			s.shuffle(third, r[2])
		}
	}
}
