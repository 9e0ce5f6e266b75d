// Package prefetch loads memory into the caches ahead of a read.
package prefetch
