package poly1305_test

import (
	"encoding/hex"
	"fmt"
	"log"

	"keylane.example/go/poly1305"
)

// oneTimeKey is the key of RFC 8439, section 2.5.2. A real key is made for one message and never used again.
func oneTimeKey() *[poly1305.KeySize]byte {
	key, err := hex.DecodeString("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
	if err != nil {
		log.Fatal(err)
	}
	return (*[poly1305.KeySize]byte)(key)
}

func ExampleSum() {
	var tag [poly1305.TagSize]byte
	poly1305.Sum(&tag, []byte("Cryptographic Forum Research Group"), oneTimeKey())
	fmt.Printf("%x\n", tag)
	// Output: a8061dc1305136c6c22b8baf0c0127a9
}

func ExampleVerify() {
	message := []byte("Cryptographic Forum Research Group")
	tag := [poly1305.TagSize]byte{
		0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6, 0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9,
	}
	fmt.Println(poly1305.Verify(&tag, message, oneTimeKey()))
	message[0] ^= 1
	fmt.Println(poly1305.Verify(&tag, message, oneTimeKey()))
	// Output:
	// true
	// false
}

func ExampleNew() {
	mac := poly1305.New(oneTimeKey())
	fmt.Fprintf(mac, "Cryptographic Forum ")
	fmt.Fprintf(mac, "Research Group")
	fmt.Printf("%x\n", mac.Sum(nil))
	// Output: a8061dc1305136c6c22b8baf0c0127a9
}

// A MAC in a variable needs no allocation.
func ExampleMAC_Init() {
	var mac poly1305.MAC
	mac.Init(oneTimeKey())
	mac.Write([]byte("Cryptographic Forum Research Group"))
	fmt.Printf("%x\n", mac.Sum(nil))
	// Output: a8061dc1305136c6c22b8baf0c0127a9
}

func ExampleSumMany() {
	messages := [][]byte{[]byte("first packet"), []byte("second")}
	keys := [][poly1305.KeySize]byte{{1}, {2}} // each from a cipher and a nonce
	tags := make([][poly1305.TagSize]byte, len(messages))
	if err := poly1305.SumMany(tags, keys, messages); err != nil {
		log.Fatal(err)
	}
	good := make([]bool, len(messages))
	if err := poly1305.VerifyMany(good, tags, keys, messages); err != nil {
		log.Fatal(err)
	}
	fmt.Println(good)
	// Output: [true true]
}
