package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"airstrip/internal/audit"
	"airstrip/internal/fault"
)

// ErrNoCertificate is the fault of a node whose certificate is not on the server.
var ErrNoCertificate = fault.Conflict("no_certificate",
	"服务器没有该节点的证书：该节点不使用 TLS，或其证书由节点自己保管或申请",
	"The server has no certificate of this node: it serves no TLS, or has its certificate in files of its own or "+
		"by ACME")

// Certificate is what a node shows to clients, with its private key, for agents that take it from files.
type Certificate struct {
	ServerName  string    `json:"server_name"`
	Pin         string    `json:"pin" doc:"SHA-256 of the certificate in hex, as links name it; empty where clients know who signed it"`
	ExpiresAt   time.Time `json:"expires_at"`
	Certificate string    `json:"certificate" doc:"PEM"`
	Key         string    `json:"key" doc:"PEM; whoever has it can pose as the node"`
	// Names that v2node and ppanel-node look for, in /etc/v2node and /etc/PPanel-node.
	CertificateFile string `json:"certificate_file" doc:"Name under which v2node, in /etc/v2node, and ppanel-node, in /etc/PPanel-node, look for the certificate"`
	KeyFile         string `json:"key_file" doc:"The same of the key"`
}

// Certificate returns the certificate that the server has of a node, which links may pin.
func (rg *Registry) Certificate(ctx context.Context, id int64) (Certificate, error) {
	n, err := rg.Get(ctx, id)
	if err != nil {
		return Certificate{}, err
	}
	t := n.Settings.TLS
	if n.Settings.Security != "tls" || t == nil || t.Certificate == "" {
		return Certificate{}, ErrNoCertificate
	}
	pair, err := tls.X509KeyPair([]byte(t.Certificate), []byte(t.Key))
	if err != nil {
		return Certificate{}, fmt.Errorf("certificate of node %d: %w", id, err)
	}
	// Reading is recorded, too: whoever has the private key can pass for the node.
	if err := audit.Note(ctx, "node.certificate.read", audit.ID("node", id), nil, ""); err != nil {
		return Certificate{}, err
	}
	name := fmt.Sprint(n.Protocol, n.ID)
	return Certificate{
		ServerName: t.ServerName, Pin: t.Pin, ExpiresAt: pair.Leaf.NotAfter.UTC(), Certificate: t.Certificate,
		Key:             t.Key,
		CertificateFile: name + ".cer", KeyFile: name + ".key",
	}, nil
}
