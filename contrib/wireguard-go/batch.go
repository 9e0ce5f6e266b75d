package device

import (
	"encoding/binary"

	"keylane.example/go/chacha20poly1305"
)

// A batch seals or opens the packets of a container together. A worker keeps one, so no container allocates.
type batch struct {
	packets []chacha20poly1305.Packet
	nonces  [][chacha20poly1305.NonceSize]byte
}

// grow returns room for n packets. The first four bytes of each nonce stay zero.
func (b *batch) grow(n int) []chacha20poly1305.Packet {
	if n > len(b.packets) {
		b.packets = make([]chacha20poly1305.Packet, n)
		b.nonces = make([][chacha20poly1305.NonceSize]byte, n)
		for i := range b.packets {
			b.packets[i].Nonce = b.nonces[i][:]
		}
	}
	return b.packets[:n]
}

// number gives packet i its nonce.
func (b *batch) number(i int, counter uint64) {
	binary.LittleEndian.PutUint64(b.nonces[i][4:], counter)
}

// take returns what a packet became, and forgets its buffers.
func (b *batch) take(i int) []byte {
	p := &b.packets[i]
	done := p.Dst
	p.Dst, p.Src = nil, nil
	return done
}

// seal encrypts padded packets behind their headers. A container to be sent has one keypair.
func (b *batch) seal(elems []*QueueOutboundElement) {
	packets := b.grow(len(elems))
	for i, elem := range elems {
		b.number(i, elem.nonce)
		packets[i].Dst, packets[i].Src = elem.buffer[:MessageTransportHeaderSize], elem.packet
	}
	chacha20poly1305.SealMany(elems[0].keypair.send, packets)
	for i, elem := range elems {
		elem.packet = b.take(i)
	}
}

// open decrypts packets in place. A forged one becomes nil. Where the keys change, a container has several keypairs.
func (b *batch) open(elems []*QueueInboundElement) {
	packets := b.grow(len(elems))
	for i, elem := range elems {
		b.number(i, elem.counter)
		content := elem.packet[MessageTransportOffsetContent:]
		packets[i].Dst, packets[i].Src = content[:0], content
	}
	for from, to := 0, 0; from < len(elems); from = to {
		for to < len(elems) && elems[to].keypair == elems[from].keypair {
			to++
		}
		chacha20poly1305.OpenMany(elems[from].keypair.receive, packets[from:to])
	}
	for i, elem := range elems {
		elem.packet = b.take(i)
	}
}
