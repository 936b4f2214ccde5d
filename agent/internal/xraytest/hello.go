package xraytest

import (
	"context"
	"crypto/tls"
	"net"
	"testing"
	"time"

	"github.com/apernet/quic-go"

	"airstrip/agent/internal/sniff"
)

// ClientHello returns the first bytes that a TLS client sends to a server of the given name.
func ClientHello(t testing.TB, name string) []byte {
	near, far := net.Pipe()
	defer near.Close()
	go tls.Client(near, &tls.Config{ServerName: name}).Handshake()
	b := make([]byte, 16<<10)
	n, err := far.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return b[:n]
}

// QUICHello returns the first packets that a QUIC client sends to a server of the given name, up to the end of the
// name.
func QUICHello(t testing.TB, name string, v quic.Version) [][]byte {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go quic.DialAddr(ctx, server.LocalAddr().String(), &tls.Config{ServerName: name, NextProtos: []string{"h3"}},
		&quic.Config{Versions: []quic.Version{v}})
	named := false
	look := sniff.Packets{Forbidden: func(host string) error { named = host == name; return nil }}
	var packets [][]byte
	server.SetReadDeadline(time.Now().Add(waitLimit))
	for !named {
		b := make([]byte, 2000)
		n, _, err := server.ReadFrom(b)
		if err != nil {
			t.Fatalf("no name is in the %d packets that the client sent first: %v", len(packets), err)
		}
		packets = append(packets, b[:n])
		look.Inspect(b[:n])
	}
	return packets
}
