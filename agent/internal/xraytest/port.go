package xraytest

import (
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"sync"
	"testing"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
)

// Ports are taken from below the range that the system takes ports for outgoing connections from, in blocks, each of which
// belongs to one process: the tests of several packages run at a time.
const (
	firstPort  = 20_000
	portBlock  = 100
	portBlocks = 127
)

var ports = struct {
	sync.Mutex
	block  int
	next   int                  // in the block; portBlock: another block is needed
	blocks map[int]net.Listener // that are this process's, until it ends
}{block: mathrand.IntN(portBlocks), next: portBlock, blocks: map[int]net.Listener{}}

// FreePort was free for TCP and UDP a moment ago. No other test takes it.
func FreePort(t testing.TB) int {
	ports.Lock()
	defer ports.Unlock()
	for range portBlock * portBlocks {
		if ports.next == portBlock && !claimBlock() {
			break
		}
		port := firstPort + ports.block*portBlock + ports.next
		ports.next++
		if isFree(port) {
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// TakenPort is one at which somebody else listens, in what a node of this kind speaks.
func TakenPort(t testing.TB, node api.Node) int {
	port := FreePort(t)
	tcp, udp := engine.Networks(node)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	if tcp {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
	}
	if udp {
		conn, err := net.ListenPacket("udp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
	}
	return port
}

// claimBlock goes on to a block that no other process has. Those of this one come again only after all that are free.
func claimBlock() bool {
	for range portBlocks {
		ports.block = (ports.block + 1) % portBlocks
		if ports.blocks[ports.block] == nil {
			claim, err := net.Listen("unix", fmt.Sprintf("@airstrip-test-ports-%d", ports.block)) // the kernel's, no file
			if err != nil {
				continue
			}
			ports.blocks[ports.block] = claim
		}
		ports.next = 0
		return true
	}
	return false
}

func isFree(port int) bool {
	address := fmt.Sprintf(":%d", port)
	tcp, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	tcp.Close()
	udp, err := net.ListenPacket("udp", address)
	if err != nil {
		return false
	}
	udp.Close()
	return true
}
