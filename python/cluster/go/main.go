// Command tags reads messages, one in hexadecimal digits a line, and writes their tags. Its arguments are a file with
// the key and the number of bits of a tag.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"strings"

	"keylane.example/go/siphash"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(raw) != siphash.KeySize {
		log.Fatal("the file is no key")
	}
	key := [siphash.KeySize]byte(raw)
	narrow, wide := siphash.New13(&key), siphash.NewX24(&key)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		message, err := hex.DecodeString(lines.Text())
		if err != nil {
			log.Fatal(err)
		}
		if os.Args[2] == "64" {
			fmt.Println(hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, narrow.Hash(message))))
			continue
		}
		tag := wide.Hash(message).Bytes()
		fmt.Println(hex.EncodeToString(tag[:]))
	}
}
