package chacha20poly1305_test

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log"

	"keylane.example/go/chacha20poly1305"
)

func ExampleNew() {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	aead, err := chacha20poly1305.New(key)
	if err != nil {
		log.Fatal(err)
	}
	// Message number 1 under this key. The next one has another nonce.
	nonce := make([]byte, chacha20poly1305.NonceSize)
	binary.LittleEndian.PutUint64(nonce[4:], 1)

	sealed := aead.Seal(nil, nonce, []byte("the text"), []byte("a header"))
	text, err := aead.Open(nil, nonce, sealed, []byte("a header"))
	fmt.Printf("%s %v\n", text, err)

	_, err = aead.Open(nil, nonce, sealed, []byte("another header"))
	fmt.Println(err)
	// Output:
	// the text <nil>
	// chacha20poly1305: message authentication failed
}

// With nonces of 24 bytes, a random one for each message will do.
func ExampleNewX() {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		log.Fatal(err)
	}
	text := []byte("the text")
	message := make([]byte, aead.NonceSize(), aead.NonceSize()+len(text)+aead.Overhead())
	rand.Read(message)
	message = aead.Seal(message, message, text, nil) // the nonce, the ciphertext, the tag

	nonce, sealed := message[:aead.NonceSize()], message[aead.NonceSize():]
	text, err = aead.Open(nil, nonce, sealed, nil)
	fmt.Printf("%s %v\n", text, err)
	// Output: the text <nil>
}

// Packets in buffers with room for the tags are sealed and opened where they are.
func ExampleSealMany() {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	aead, err := chacha20poly1305.New(key)
	if err != nil {
		log.Fatal(err)
	}
	packets := make([]chacha20poly1305.Packet, 3)
	for i := range packets {
		buffer := make([]byte, 0, 1500)
		nonce := make([]byte, chacha20poly1305.NonceSize)
		binary.LittleEndian.PutUint64(nonce[4:], uint64(i))
		packets[i] = chacha20poly1305.Packet{Dst: buffer, Nonce: nonce, Src: fmt.Appendf(buffer, "packet %d", i)}
	}
	chacha20poly1305.SealMany(aead, packets)

	// The other side. Packet 1 was changed on its way.
	packets[1].Dst[0] ^= 1
	for i := range packets {
		p := &packets[i]
		p.Src, p.Dst = p.Dst, p.Dst[:0]
	}
	fmt.Println(chacha20poly1305.OpenMany(aead, packets))
	for _, p := range packets {
		fmt.Printf("%v %q\n", p.IsGood, p.Dst)
	}
	// Output:
	// chacha20poly1305: message authentication failed
	// true "packet 0"
	// false ""
	// true "packet 2"
}
