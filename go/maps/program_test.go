package maps

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A program changes maps while it ranges over them, and compares them with models. It is a list of bytes: each step is
// one byte, and the numbers that the step needs are the next ones.
type program[K Key] struct {
	t      *testing.T
	keys   keys[K]
	input  []byte
	views  []*view[K]
	loops  []*loop[K] // the iterations under way
	serial uint64     // of the last value
}

// A view is a map, and the model of its table.
type view[K Key] struct {
	m     *Map[K, uint64]
	model *model[K]
	owner *view[K] // the map that was written to; only it may be written to again
}

// A model is what a table should have. Copies of a map share it until one of them has another table.
type model[K Key] struct{ items map[K]item }

// An item is an entry. Its id tells it from later entries of the same key.
type item struct{ id, value uint64 }

// A loop is an iteration over a view. Both sets of ids are of entries since the last assignment to the view.
type loop[K Key] struct {
	over *view[K]
	due  map[uint64]bool // was there at the start, and was never deleted
	seen map[uint64]bool
}

const (
	mostViews = 4
	mostLoops = 3
)

// run does the steps until the input is used up, and checks all maps.
func (keys keys[K]) run(t *testing.T, input []byte) {
	keys.count = min(keys.count, 250)
	p := &program[K]{t: t, keys: keys, input: input}
	p.views = []*view[K]{{m: new(Map[K, uint64]), model: &model[K]{map[K]item{}}}}
	for len(p.input) > 0 {
		p.step()
	}
	for _, v := range p.views {
		p.check(v)
	}
}

func (p *program[K]) check(v *view[K]) {
	p.t.Helper()
	values := make(map[K]uint64)
	for key, item := range v.model.items {
		values[key] = item.value
	}
	check(p.t, v.m, values)
}

// number returns the next number, below n. There are zeros after the end.
func (p *program[K]) number(n int) int {
	if len(p.input) == 0 {
		return 0
	}
	x := int(p.input[0])
	p.input = p.input[1:]
	return x % n
}

func (p *program[K]) key() K { return p.keys.of(uint64(p.number(int(p.keys.count)))) }

func (p *program[K]) batch() []K {
	batch := make([]K, p.number(40))
	for i := range batch {
		batch[i] = p.key()
	}
	return batch
}

// view returns any map. It is the first one in most cases.
func (p *program[K]) view() *view[K] { return p.views[max(0, p.number(2*len(p.views))-len(p.views))] }

// step does one step. It reports whether the innermost iteration goes on.
func (p *program[K]) step() bool {
	switch p.number(24) {
	case 0, 1, 2, 3, 4, 5:
		p.put(p.view(), p.key())
	case 6, 7:
		p.put(p.view(), p.batch()...)
	case 8, 9, 10, 11:
		p.delete(p.view(), p.batch()...)
	case 12:
		p.clear(p.view())
	case 13:
		v, n := p.view(), p.number(100)
		p.write(v, func() { v.m.Grow(n) })
	case 14:
		p.lookUps(p.view())
	case 15:
		p.check(p.view())
	case 16:
		v := p.view()
		*v.m = Map[K, uint64]{}
		p.assigned(v, &model[K]{map[K]item{}}, nil)
	case 17:
		v, h := p.view(), variants()[p.number(3)]
		*v.m = *NewWith[K, uint64](h, 0)
		p.assigned(v, &model[K]{map[K]item{}}, nil)
	case 18:
		p.copy(p.view())
	case 19:
		to, from := p.view(), p.views[p.number(len(p.views))]
		*to.m = *from.m
		p.assigned(to, from.model, from.owner)
	case 20:
		a, b := p.view(), p.views[p.number(len(p.views))]
		*a.m, *b.m = *b.m, *a.m
		model, owner := a.model, a.owner
		p.assigned(a, b.model, b.owner)
		p.assigned(b, model, owner)
	case 21, 22:
		if v := p.view(); len(p.loops) < mostLoops {
			p.iterate(v)
		}
	case 23:
		return false
	}
	return true
}

// write does an action that may write to a map. It panics if and only if the map is a copy of one that was written to.
func (p *program[K]) write(v *view[K], action func()) (done bool) {
	p.t.Helper()
	table := v.m.table
	if v.owner == nil {
		v.owner = v
	}
	defer func() {
		what := recover()
		if done = what == nil; done != (v.owner == v) || !done && what != "maps: a copied Map is written to" {
			p.t.Fatalf("a write to a map ends with %v; is it a copy: %t", what, v.owner != v)
		}
		if len(table.groups) == 0 || !v.m.table.is(&table) { // the map has another table, and only the map
			v.model = &model[K]{maps.Clone(v.model.items)}
		}
		if v.m.self == nil { // there was nothing to write
			v.owner = nil
		}
	}()
	if v.owner == v {
		action()
	} else {
		v.m.Put(p.keys.of(0), 0)
	}
	return true
}

// put puts new values, one by one or all at once.
func (p *program[K]) put(v *view[K], batch ...K) {
	values := make([]uint64, len(batch))
	for i := range values {
		p.serial++
		values[i] = p.serial
	}
	before, model := *v.m, v.model
	done := p.write(v, func() {
		if len(batch) == 1 {
			v.m.Put(batch[0], values[0])
		} else if n := v.m.PutMany(batch, values); n != len(batch) {
			p.t.Fatalf("PutMany took %d of %d keys", n, len(batch))
		}
	})
	if !done {
		return
	}
	for i, key := range batch {
		// If the table was replaced meanwhile, the old one may have the first of the values.
		if value, _ := before.Get(key); v.model != model && value == values[i] {
			model.put(key, value)
		}
		v.model.put(key, values[i])
	}
}

func (m *model[K]) put(key K, value uint64) {
	x, ok := m.items[key]
	if x.value = value; !ok {
		x.id = value
	}
	m.items[key] = x
}

func (p *program[K]) delete(v *view[K], batch ...K) {
	for _, key := range batch {
		x, there := v.model.items[key]
		if v.owner != nil && v.owner != v {
			p.write(v, nil)
			return
		}
		if v.m.Delete(key) != there {
			p.t.Fatalf("Delete(%v) is not %t", key, there)
		}
		if there {
			delete(v.model.items, key)
			p.deleted(v.model, x)
		}
	}
}

func (p *program[K]) clear(v *view[K]) {
	if p.write(v, v.m.Clear) {
		for _, x := range v.model.items {
			p.deleted(v.model, x)
		}
		clear(v.model.items)
	}
}

// deleted tells the iterations that an entry has left a table.
func (p *program[K]) deleted(m *model[K], x item) {
	for _, l := range p.loops {
		if l.over.model == m {
			delete(l.due, x.id)
		}
	}
}

// assigned tells the iterations that a map was assigned.
func (p *program[K]) assigned(v *view[K], m *model[K], owner *view[K]) {
	v.model, v.owner = m, owner
	for _, l := range p.loops {
		if l.over == v {
			clear(l.due)
			clear(l.seen)
		}
	}
}

// copy makes a new view, or overwrites the last one.
func (p *program[K]) copy(v *view[K]) {
	m := *v.m
	if len(p.views) < mostViews {
		p.views = append(p.views, &view[K]{m: &m, model: v.model, owner: v.owner})
		return
	}
	last := p.views[mostViews-1]
	*last.m = m
	p.assigned(last, v.model, v.owner)
}

func (p *program[K]) lookUps(v *view[K]) {
	values := make(map[K]uint64)
	for key, item := range v.model.items {
		values[key] = item.value
	}
	lookUps(p.t, v.m, values, p.batch())
}

// iterate ranges over a map, with steps in between.
func (p *program[K]) iterate(v *view[K]) {
	l := &loop[K]{over: v, due: map[uint64]bool{}, seen: map[uint64]bool{}}
	for _, x := range v.model.items {
		l.due[x.id] = true
	}
	p.loops = append(p.loops, l)
	defer func() { p.loops = p.loops[:len(p.loops)-1] }()
	for key, value := range v.m.All() {
		x, there := v.model.items[key]
		if !there || x.value != value {
			p.t.Fatalf("the range shows %v: %d, but the value is %d, there: %t", key, value, x.value, there)
		}
		if l.seen[x.id] {
			p.t.Fatalf("the range shows %v: %d twice", key, value)
		}
		l.seen[x.id] = true
		for range p.number(4) {
			if !p.step() {
				return
			}
		}
	}
	for id := range l.due {
		if !l.seen[id] {
			p.t.Fatalf("the range left out an entry that never changed, of %d", len(l.due))
		}
	}
}

// programs runs random programs.
func (keys keys[K]) programs(t *testing.T) {
	count := 400
	if testing.Short() {
		count = 40
	}
	for seed := range uint64(count) {
		random := rand.New(rand.NewPCG(seed, 3))
		input := make([]byte, random.IntN(2000))
		for i := range input {
			input[i] = byte(random.Uint32())
		}
		keys.run(t, input)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestPrograms(t *testing.T) { eachKeyType(t, keyType.programs) }

func FuzzProgram(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x15\x00\x01\x10\x00"))     // assigns the zero map within a range
	f.Add([]byte("\x12\x00\x06\x00\x08abcdefgh\x13\x00")) // assigns an old copy
	f.Fuzz(func(t *testing.T, input []byte) {
		keys := keys[int16]{1 << 8, func(i uint64) int16 { return int16(i) }}
		keys.run(t, input)
	})
}

// TestAssignments assigns a map within a range over it: the zero map, a map without entries, a smaller one, a larger
// one, and a copy from before the range.
func TestAssignments(t *testing.T) {
	for name, c := range map[string]struct {
		other *Map[uint64, uint64]
		want  int // entries that appear, at most
	}{
		"zero":  {new(Map[uint64, uint64]), 1},
		"empty": {New[uint64, uint64](1000), 1},
		"some":  {squares(10), 11},
		"more":  {squares(1000), 101},
	} {
		m := squares(100)
		var seen []uint64
		for key := range m.All() {
			seen = append(seen, key)
			*m = *c.other
		}
		slices.Sort(seen)
		if n := len(slices.Compact(seen)); n != len(seen) || n < c.want-1 || n > c.want {
			t.Errorf("%s: %d different entries of %d, not %d", name, n, len(seen), c.want)
		}
	}
	m := New[uint64, uint64](1)
	saved := *m
	for i := range uint64(20) {
		m.Put(i, i)
		*m = saved
		if _, ok := m.Get(100); ok || m.Len() > 7 {
			t.Fatalf("%d entries in a table for 7", m.Len())
		}
	}
}
