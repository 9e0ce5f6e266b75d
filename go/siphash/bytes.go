package siphash

import "unsafe"

// bytesOf is the bytes of s in place. Nobody here writes to messages or keeps them, so s stays constant.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
