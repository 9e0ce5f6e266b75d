package siphash

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"strings"
	"testing"
)

var (
	_ hash.Hash64 = (*Stream)(nil)
	_ hash.Hash   = (*StreamX)(nil)
)

// Whatever the verb, nothing but the name and the rounds is printed.
func TestKeysAreNotPrinted(t *testing.T) {
	h, x := New24(&testKey), NewX24(&testKey)
	s, sx := h.Stream(), x.Stream()
	values := []any{h, &h, x, &x, s, &s, sx, &sx, []Hasher{h}, map[int]HasherX{1: x}, struct{ H Hasher }{h}}
	for _, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%X", "%s", "%q", "%b", "%o", "%t", "%c"} {
			text := fmt.Sprintf(verb, value)
			if !strings.Contains(text, "(2-4)") || len(text) > 60 {
				t.Errorf("%s of %T prints %s", verb, value, text)
			}
		}
		text, err := json.Marshal(value)
		if err != nil || len(text) > 20 {
			t.Errorf("JSON of %T is %s, %v", value, text, err)
		}
	}
}

func TestWipe(t *testing.T) {
	h, x := New24(&testKey), NewX24(&testKey)
	s, sx := h.Stream(), x.Stream()
	s.Write(testKey[:])
	sx.Write(testKey[:])
	h.Wipe()
	x.Wipe()
	s.Wipe()
	sx.Wipe()
	if h != (Hasher{}) || x != (HasherX{}) || s != (Stream{}) || sx != (StreamX{}) {
		t.Error("something was not wiped")
	}
}

func TestNoRounds(t *testing.T) {
	for _, cd := range [][2]uint8{{0, 0}, {0, 1}, {1, 0}} {
		if _, err := New(&testKey, cd[0], cd[1]); !errors.Is(err, ErrRounds) {
			t.Errorf("New with %v rounds: %v", cd, err)
		}
		if _, err := NewX(&testKey, cd[0], cd[1]); !errors.Is(err, ErrRounds) {
			t.Errorf("NewX with %v rounds: %v", cd, err)
		}
	}
}

func TestNamedVariants(t *testing.T) {
	for _, v := range []struct {
		h    Hasher
		c, d uint8
	}{
		{New11(&testKey), 1, 1}, {New12(&testKey), 1, 2}, {New13(&testKey), 1, 3}, {New24(&testKey), 2, 4},
		{New48(&testKey), 4, 8},
	} {
		if h, _ := New(&testKey, v.c, v.d); h != v.h {
			t.Errorf("New%d%d is not New of %d and %d", v.c, v.d, v.c, v.d)
		}
	}
	for _, v := range []struct {
		h    HasherX
		c, d uint8
	}{{NewX13(&testKey), 1, 3}, {NewX24(&testKey), 2, 4}, {NewX48(&testKey), 4, 8}} {
		if h, _ := NewX(&testKey, v.c, v.d); h != v.h {
			t.Errorf("NewX%d%d is not NewX of %d and %d", v.c, v.d, v.c, v.d)
		}
	}
}

// The zero value is of no use, but does no harm.
func TestZeroValue(t *testing.T) {
	var h Hasher
	var x HasherX
	h.Hash(testKey[:])
	x.Hash(testKey[:])
	var s Stream
	s.Write(testKey[:])
	s.Sum64()
	tags, src := make([]uint64, 100), make([]uint64, 100)
	eachKernel(t, func(t *testing.T) {
		h.HashUint64s(tags, src)
		for i, tag := range tags {
			if tag != h.HashUint64(src[i]) {
				t.Fatalf("tag %d of the zero value is %x, one by one %x", i, tag, h.HashUint64(src[i]))
			}
		}
	})
}

func TestVerify(t *testing.T) {
	h, x := New24(&testKey), NewX24(&testKey)
	p := []byte("message")
	tag, tagX := h.Hash(p), x.Hash(p)
	if !h.Verify(p, tag) || !x.Verify(p, tagX) {
		t.Error("a right tag is refused")
	}
	for bit := range 64 {
		one := uint64(1) << bit
		low, high := Uint128{tagX.Lo ^ one, tagX.Hi}, Uint128{tagX.Lo, tagX.Hi ^ one}
		if h.Verify(p, tag^one) || x.Verify(p, low) || x.Verify(p, high) {
			t.Fatalf("a tag with bit %d turned is accepted", bit)
		}
	}
}
