package chacha20poly1305

import (
	"bytes"
	"encoding/binary"

	"keylane.example/go/internal/hashtest"
	"keylane.example/go/poly1305"
)

var random, spread = hashtest.Random, hashtest.Spread

// The definition, plainly after RFC 8439 and the draft of XChaCha20.

// defined returns the sixteen words of a block after the rounds, and those before.
func defined(key []byte, last [16]byte) (x, input [16]uint32) {
	all := append(append([]byte("expand 32-byte k"), key...), last[:]...)
	for i := range input {
		input[i] = binary.LittleEndian.Uint32(all[4*i:])
	}
	x = input
	for i := range 10 * 8 {
		a, b, c, d := i%4, 4+i%4, 8+i%4, 12+i%4
		if i%8 >= 4 {
			b, c, d = 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4
		}
		for _, step := range [4]struct{ to, from, rotated, by int }{{a, b, d, 16}, {c, d, b, 12}, {a, b, d, 8}, {c, d, b, 7}} {
			x[step.to] += x[step.from]
			x[step.rotated] ^= x[step.to]
			x[step.rotated] = x[step.rotated]<<step.by | x[step.rotated]>>(32-step.by)
		}
	}
	return x, input
}

// definedStream returns n bytes of key stream from a block on.
func definedStream(key, nonce []byte, counter uint32, n int) (stream []byte) {
	for ; len(stream) < n; counter++ {
		var last [16]byte
		binary.LittleEndian.PutUint32(last[:], counter)
		copy(last[4:], nonce)
		x, input := defined(key, last)
		for i := range x {
			stream = binary.LittleEndian.AppendUint32(stream, x[i]+input[i])
		}
	}
	return stream[:n]
}

// definedSubkey returns HChaCha20 of a key and 16 bytes.
func definedSubkey(key, nonce []byte) (subkey []byte) {
	x, _ := defined(key, [16]byte(nonce))
	for _, word := range append(x[:4:4], x[12:]...) {
		subkey = binary.LittleEndian.AppendUint32(subkey, word)
	}
	return subkey
}

// definedSeal returns a sealed message. The size of the nonce tells which of the two it is.
func definedSeal(key, nonce, text, additionalData []byte) []byte {
	if len(nonce) == NonceSizeX {
		key, nonce = definedSubkey(key, nonce[:16]), append(make([]byte, 4), nonce[16:]...)
	}
	sealed := definedStream(key, nonce, 1, len(text))
	for i := range text {
		sealed[i] ^= text[i]
	}
	message := append(bytes.Clone(additionalData), make([]byte, -len(additionalData)&15)...)
	message = append(append(message, sealed...), make([]byte, -len(sealed)&15)...)
	message = binary.LittleEndian.AppendUint64(message, uint64(len(additionalData)))
	message = binary.LittleEndian.AppendUint64(message, uint64(len(text)))
	var tag [Overhead]byte
	poly1305.Sum(&tag, message, (*[poly1305.KeySize]byte)(definedStream(key, nonce, 0, poly1305.KeySize)))
	return append(sealed, tag[:]...)
}
