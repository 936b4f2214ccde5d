package xraytest

import (
	"context"
	"crypto/tls"
	"net"
	"testing"
	"time"

	"github.com/apernet/quic-go"
)

// ClientHello is what a TLS client says first to a server of a name.
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

// QUICHello is the packets that a QUIC client sends first to a server of a name.
func QUICHello(t testing.TB, name string, v quic.Version) [][]byte {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go quic.DialAddr(ctx, server.LocalAddr().String(), &tls.Config{ServerName: name, NextProtos: []string{"h3"}}, &quic.Config{Versions: []quic.Version{v}})
	var packets [][]byte
	for wait := 5 * time.Second; server.SetReadDeadline(time.Now().Add(wait)) == nil; wait = 100 * time.Millisecond {
		b := make([]byte, 2000)
		n, _, err := server.ReadFrom(b)
		if err != nil {
			break
		}
		packets = append(packets, b[:n])
	}
	if len(packets) == 0 {
		t.Fatal("the client sent nothing")
	}
	return packets
}
