//go:build unix

package device

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/conn"
	"golang.zx2c4.com/wireguard/conn/bindtest"
	"golang.zx2c4.com/wireguard/tun"
)

// An endTUN gives a device whole batches of packets, as a TUN with offloads does.
type endTUN struct {
	outbound chan [][]byte          // what Read returns
	arrived  func(packets [][]byte) // called by Write
	closed   chan struct{}
	events   chan tun.Event
}

func (t *endTUN) Read(bufs [][]byte, sizes []int, offset int) (int, error) {
	select {
	case <-t.closed:
		return 0, os.ErrClosed
	case packets := <-t.outbound:
		for i, packet := range packets {
			sizes[i] = copy(bufs[i][offset:], packet)
		}
		return len(packets), nil
	}
}

func (t *endTUN) Write(bufs [][]byte, offset int) (int, error) {
	for i := range bufs {
		bufs[i] = bufs[i][offset:]
	}
	t.arrived(bufs)
	return len(bufs), nil
}

func (t *endTUN) Close() error {
	close(t.closed)
	close(t.events)
	return nil
}

func (t *endTUN) BatchSize() int           { return conn.IdealBatchSize }
func (t *endTUN) File() *os.File           { return nil }
func (t *endTUN) MTU() (int, error)        { return 1420, nil }
func (t *endTUN) Name() (string, error)    { return "end", nil }
func (t *endTUN) Events() <-chan tun.Event { return t.events }

// Datagrams are what one call of Send sends.
type datagrams struct {
	count int
	sizes [conn.IdealBatchSize]int
	data  [conn.IdealBatchSize][2048]byte
}

var spare = sync.Pool{New: func() any { return new(datagrams) }}

// A memoryBind keeps what was sent together together.
type memoryBind struct {
	in, out chan *datagrams
	closed  chan struct{}
	change  func(datagram []byte) // what happens to one on its way
}

func memoryBinds(change func([]byte)) [2]conn.Bind {
	there, back := make(chan *datagrams, 1024), make(chan *datagrams, 1024)
	return [2]conn.Bind{
		&memoryBind{in: back, out: there, change: change},
		&memoryBind{in: there, out: back, change: func([]byte) {}},
	}
}

func (m *memoryBind) Open(uint16) ([]conn.ReceiveFunc, uint16, error) {
	closed := make(chan struct{})
	m.closed = closed
	receive := func(bufs [][]byte, sizes []int, endpoints []conn.Endpoint) (int, error) {
		select {
		case <-closed:
			return 0, net.ErrClosed
		case d := <-m.in:
			defer spare.Put(d)
			for i := range d.count {
				sizes[i] = copy(bufs[i], d.data[i][:d.sizes[i]])
				endpoints[i] = bindtest.ChannelEndpoint(1)
			}
			return d.count, nil
		}
	}
	return []conn.ReceiveFunc{receive}, 1, nil
}

func (m *memoryBind) Send(bufs [][]byte, _ conn.Endpoint) error {
	d := spare.Get().(*datagrams)
	d.count = len(bufs)
	for i, buf := range bufs {
		d.sizes[i] = copy(d.data[i][:], buf)
		m.change(d.data[i][:d.sizes[i]])
	}
	m.out <- d
	return nil
}

func (m *memoryBind) Close() error {
	if m.closed != nil {
		close(m.closed)
		m.closed = nil
	}
	return nil
}

func (m *memoryBind) BatchSize() int       { return conn.IdealBatchSize }
func (m *memoryBind) SetMark(uint32) error { return nil }
func (m *memoryBind) ParseEndpoint(string) (conn.Endpoint, error) {
	return bindtest.ChannelEndpoint(1), nil
}

// tunnel connects two devices. It returns where packets go in, and calls arrived for those that come out.
func tunnel(tb testing.TB, binds [2]conn.Bind, arrived func([][]byte)) chan<- [][]byte {
	configs, endpoints := genConfigs(tb)
	var ends [2]*endTUN
	var devices [2]*Device
	for i := range devices {
		ends[i] = &endTUN{make(chan [][]byte), func([][]byte) {}, make(chan struct{}), make(chan tun.Event)}
		if i == 1 {
			ends[i].arrived = arrived
		}
		devices[i] = NewDevice(ends[i], binds[i], NewLogger(LogLevelError, ""))
		tb.Cleanup(devices[i].Close)
		if err := devices[i].IpcSet(configs[i]); err != nil {
			tb.Fatal(err)
		}
		if err := devices[i].Up(); err != nil {
			tb.Fatal(err)
		}
	}
	for i := range devices {
		if err := devices[i].IpcSet(fmt.Sprintf(endpoints[i], devices[1-i].net.port)); err != nil {
			tb.Fatal(err)
		}
	}
	return ends[0].outbound
}

// packet returns an IPv4 packet of n bytes from the first device to the second.
func packet(n int, number uint32) []byte {
	p := bytes.Repeat([]byte{byte(number)}, n)
	p[0] = 4<<4 | 20/4
	binary.BigEndian.PutUint16(p[2:], uint16(n))
	binary.BigEndian.PutUint32(p[4:], number)
	copy(p[12:], netip.MustParseAddr("1.0.0.1").AsSlice())
	copy(p[16:], netip.MustParseAddr("1.0.0.2").AsSlice())
	return p
}

// TestQueues sends batches of many sizes. On the way every seventh packet of them changes, and must not arrive. The others
// must arrive in their order.
func TestQueues(t *testing.T) {
	var sent, lost int
	var isForging bool
	change := func(datagram []byte) {
		if !isForging || datagram[0] != MessageTransportType || len(datagram) == MessageKeepaliveSize {
			return
		}
		if sent++; sent%7 == 0 {
			datagram[MessageTransportHeaderSize+sent%(len(datagram)-MessageTransportHeaderSize)] ^= 1
			lost++
		}
	}
	arrived := make(chan []byte, 4096)
	in := tunnel(t, memoryBinds(change), func(packets [][]byte) {
		for _, p := range packets {
			arrived <- bytes.Clone(p)
		}
	})
	next := func() []byte {
		select {
		case p := <-arrived:
			return p
		case <-time.After(10 * time.Second):
			t.Fatal("a packet did not arrive")
			return nil
		}
	}
	in <- [][]byte{packet(20, 0)} // shakes hands
	next()

	isForging = true
	number := uint32(0)
	for count := 1; count <= conn.IdealBatchSize; count++ {
		var packets, want [][]byte
		for range count {
			number++
			p := packet(20+int(number*number%1401), number)
			packets = append(packets, p)
			if number%7 != 0 {
				want = append(want, p)
			}
		}
		in <- packets
		for _, p := range want {
			if got := next(); !bytes.Equal(got, p) {
				t.Fatalf("a batch of %d: packet %x, not %x", count, got, p)
			}
		}
	}
	if len(arrived) > 0 || lost != int(number)/7 {
		t.Fatalf("%d more packets arrived, and %d of %d were changed", len(arrived), lost, number)
	}
}

// used returns the CPU time of this process.
func used(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkQueues measures a packet from one device to the other, where the first one's TUN gives so many at a time. It
// reports the CPU time of both, which other programs disturb less.
func BenchmarkQueues(b *testing.B) {
	for _, way := range []string{"memory", "udp"} {
		for _, n := range []int{64, 1420} {
			for _, count := range []int{1, 8, 32, conn.IdealBatchSize} {
				b.Run(fmt.Sprintf("way=%s/bytes=%d/batch=%d", way, n, count), func(b *testing.B) { benchmark(b, way, n, count) })
			}
		}
	}
}

func benchmark(b *testing.B, way string, n, count int) {
	binds := memoryBinds(func([]byte) {})
	if way == "udp" {
		binds = [2]conn.Bind{conn.NewDefaultBind(), conn.NewDefaultBind()}
	}
	arrivals := make(chan int, 1024)
	in := tunnel(b, binds, func(packets [][]byte) { arrivals <- len(packets) })
	packets := make([][]byte, count)
	for i := range packets {
		packets[i] = packet(n, uint32(i))
	}
	// More packets on their way would wait in memory, or be lost.
	const most = 256
	sent, arrived := 0, 0
	send := func(until int) {
		for arrived < until {
			for sent < until && sent+count-arrived <= most {
				in <- packets
				sent += count
			}
			select {
			case n := <-arrivals:
				arrived += n
			case <-time.After(10 * time.Second):
				b.Fatalf("%d of %d packets were lost", sent-arrived, sent)
			}
		}
	}
	send(1) // shakes hands
	send(sent)
	b.SetBytes(int64(n))
	b.ResetTimer()
	before := used(b)
	send(sent + b.N)
	b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op")
}
