// Package prefetch asks for memory before it is read.
package prefetch
