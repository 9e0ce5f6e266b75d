// Package cpu reports which kernels can run: the CPU must have the instructions, and the operating system must save
// the registers. With the build tag purego none can.
package cpu
