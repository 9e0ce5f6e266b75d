// Package cpu says for which kernels this CPU has the instructions, and its operating system the registers. With the
// build tag purego it says no to all.
package cpu
