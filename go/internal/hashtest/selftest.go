package hashtest

import (
	"encoding/binary"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"keylane.example/go/internal/selftest"
)

// SelfTestMessages returns the messages of the self-test, in the order in which their tags are added to a checksum. Three
// batches come only once.
func SelfTestMessages(once bool) (messages [][]byte) {
	data := make([]byte, selftest.Size)
	selftest.Input(data)
	var ragged, rows, folded [][]byte
	at := selftest.First
	for i := range selftest.Messages {
		p := data[at:][:i%selftest.Lengths]
		at += len(p)
		ragged, folded = append(ragged, p), append(folded, lower(p))
		rows = append(rows, data[i*selftest.Width:][:selftest.Width])
	}
	if once {
		messages = slices.Concat(ragged, ragged, rows)
	}
	messages = append(append(messages, ragged...), folded...)
	for _, width := range []int{4, 8, 16} {
		for i := range selftest.Messages {
			lo, hi := selftest.Integer(i)
			p := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, lo), hi)
			messages = append(messages, p[:width])
		}
	}
	return messages
}

// SelfTestLengths returns messages of each length below the given one, as many as a group has lanes.
func SelfTestLengths(lengths, lanes int) (messages [][]byte) {
	var data []byte
	for i := range lengths * lanes / 8 {
		lo, _ := selftest.Integer(i)
		data = binary.LittleEndian.AppendUint64(data, lo)
	}
	for n := range lengths {
		for i := range lanes {
			messages = append(messages, data[i*n:][:n])
		}
	}
	return messages
}

// Checksum returns the checksum of the tags of messages.
func Checksum(d Definition, key []byte, rounds [2]uint8, wide bool, messages [][]byte) (sum selftest.Sum) {
	for _, p := range messages {
		var tag Tag
		copy(tag[:], d.Tag(key, int(rounds[0]), int(rounds[1]), wide, p))
		sum = selftest.Plus(sum, binary.LittleEndian.Uint64(tag[:8]), binary.LittleEndian.Uint64(tag[8:]))
	}
	return sum
}

// RustAnswers returns a list of known answers of the Rust library's self-test.
func RustAnswers(t *testing.T, name string) (answers []selftest.Sum) {
	t.Helper()
	source, err := os.ReadFile("../../crates/keylane/src/dispatch/selftest/answers.rs")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`pub const ` + name + `: \[[^=]*= \[([^]]*)\]`).FindSubmatch(source)
	if list == nil {
		t.Fatalf("there is no %s", name)
	}
	for _, digits := range regexp.MustCompile(`0x[0-9a-f_]+`).FindAllString(string(list[1]), -1) {
		x, err := strconv.ParseUint(digits, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, selftest.Sum(x))
	}
	return answers
}
