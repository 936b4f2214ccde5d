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

// Test ports come from below the range that the system uses for outgoing connections. Each process reserves blocks of
// them, because the tests of several packages run at the same time.
const (
	firstPort  = 20_000
	portBlock  = 100
	portBlocks = 127
)

var ports = struct {
	sync.Mutex
	block  int
	next   int                  // Index in the block; portBlock means that another block is needed.
	blocks map[int]net.Listener // Blocks of this process, reserved until it ends.
}{block: mathrand.IntN(portBlocks), next: portBlock, blocks: map[int]net.Listener{}}

// FreePort returns a port that was free for TCP and UDP a moment ago. No other test uses it.
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

// TakenPort returns a port at which another listener is open, for the networks of the node's protocol.
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

// claimBlock moves on to a block that no other process has. Blocks of this process are reused only after all free ones.
func claimBlock() bool {
	for range portBlocks {
		ports.block = (ports.block + 1) % portBlocks
		if ports.blocks[ports.block] == nil {
			// An abstract socket of the kernel, not a file.
			claim, err := net.Listen("unix", fmt.Sprintf("@airstrip-test-ports-%d", ports.block))
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
