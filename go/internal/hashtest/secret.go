package hashtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// NotPrinted checks that every verb prints only the name and the rounds, 2-4.
func NotPrinted(t *testing.T, values ...any) {
	t.Helper()
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

// Wiped checks that Wipe leaves the zero value.
func Wiped[T comparable, P interface {
	*T
	Wipe()
}](t *testing.T, p P) {
	t.Helper()
	var zero T
	if *p == zero {
		t.Errorf("%T is zero, and there is nothing to wipe", p)
	}
	if p.Wipe(); *p != zero {
		t.Errorf("%T was not wiped", p)
	}
}
