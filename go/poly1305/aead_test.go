package poly1305

import (
	"encoding/binary"
	"errors"
	"testing"
)

// joined returns the message that SumAEAD authenticates.
func joined(additionalData, ciphertext []byte) (m []byte) {
	for _, p := range [][]byte{additionalData, ciphertext} {
		m = append(append(m, p...), make([]byte, -len(p)&15)...)
	}
	m = binary.LittleEndian.AppendUint64(m, uint64(len(additionalData)))
	return binary.LittleEndian.AppendUint64(m, uint64(len(ciphertext)))
}

func TestAEAD(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		for _, n := range spread(1025) {
			for _, m := range []int{0, 1, 13, 16, 40, 300, 1000} {
				key := [KeySize]byte(random(uint64(n), KeySize))
				additionalData, ciphertext := random(uint64(m), m), random(uint64(n)+1, n)
				if n%5 == 0 {
					ciphertext = filled(0xff, n)
				}
				var tag [TagSize]byte
				SumAEAD(&tag, additionalData, ciphertext, &key)
				if want := sum(t, joined(additionalData, ciphertext), &key); tag != want {
					t.Fatalf("%d bytes, %d of additional data: %x, not %x", n, m, tag, want)
				}
			}
		}
	})
}

func TestManyAEAD(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		for _, length := range spread(600) {
			for _, count := range []int{0, 1, 8, 9, 19} {
				var tags, want [19][TagSize]byte
				var keys [19][KeySize]byte
				var additionalData, ciphertexts [19][]byte
				for i := range count {
					keys[i] = [KeySize]byte(random(uint64(length+i), KeySize))
					additionalData[i] = random(uint64(i), (length+i)*7%50)
					ciphertexts[i] = random(uint64(i), length*5+i*(length%60))
					if length%3 == 0 {
						additionalData[i], ciphertexts[i] = filled(0xff, 16*(i%3)), filled(0xff, length*5)
						keys[i] = [KeySize]byte(filled(0xff, KeySize))
					}
					want[i] = sum(t, joined(additionalData[i], ciphertexts[i]), &keys[i])
				}
				err := SumManyAEAD(tags[:count], keys[:count], additionalData[:count], ciphertexts[:count])
				if err != nil || tags != want {
					t.Fatalf("%d messages of %d bytes: %x, not %x", count, length, tags, want)
				}
			}
		}
	})
	one, two := make([][TagSize]byte, 1), make([][]byte, 2)
	if err := SumManyAEAD(one, make([][KeySize]byte, 2), two, two); !errors.Is(err, ErrCount) {
		t.Error(err)
	}
	if err := SumManyAEAD(make([][TagSize]byte, 2), make([][KeySize]byte, 2), two[:1], two); !errors.Is(err, ErrCount) {
		t.Error(err)
	}
}
