package siphash

import "unsafe"

// bytesOf is the bytes of s in place. Nobody here writes to messages or keeps them, so s stays constant.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// pointer is where p begins, and message is p again: a list of pointers is half as long as one of slices.
func pointer(p []byte) *byte { return unsafe.SliceData(p) }

// message is the n bytes from p on. Only pointers and lengths of one slice may meet here.
func message(p *byte, n uint8) []byte { return unsafe.Slice(p, n) }
