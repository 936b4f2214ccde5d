package run

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/certificate"
	"airstrip/agent/internal/engine"
)

func hasCertificate(t api.TLS) bool {
	return t.ACME != nil || t.Certificate != "" || t.CertificateFile != ""
}

// checkCertificate reads the files, and tests what a challenge needs; it orders nothing from an issuer. doubt is what
// clients may object to.
func checkCertificate(ctx context.Context, c Config, t api.TLS) (err, doubt error) {
	keeper := certificate.New(filepath.Join(c.Data, "certificates"), c.DNS,
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	defer keeper.Close()
	if t.ACME != nil && t.ACME.Challenge == "dns-01" {
		return keeper.TryDNS(ctx, t.ServerName), nil
	}
	if t.ACME != nil {
		port := map[string]int{"http-01": 80, "tls-alpn-01": 443}[t.ACME.Challenge]
		if err := withPortAdvice(engine.Try("", port, true, false)); err != nil {
			return fmt.Errorf("the issuer will ask at port %d: %w", port, err), nil
		}
		return nil, nil
	}
	filled, err := keeper.Fill(t)
	if err != nil {
		return err, nil
	}
	pair, err := tls.X509KeyPair([]byte(filled.Certificate), []byte(filled.Key))
	if err != nil {
		return err, nil
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		return fmt.Errorf("it is valid from %s to %s", formatTime(pair.Leaf.NotBefore),
			formatTime(pair.Leaf.NotAfter)), nil
	}
	if err := pair.Leaf.VerifyHostname(t.ServerName); err != nil {
		return err, nil
	}
	if t.Certificate == "" {
		doubt = errors.Join(checkTrusted(pair, t.ServerName), checkReadable(t.KeyFile))
	}
	_, ending := keeper.Status()
	return nil, errors.Join(doubt, ending)
}

// checkTrusted returns why clients that trust only the system's authorities refuse a certificate from a file.
func checkTrusted(pair tls.Certificate, name string) error {
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		if c, err := x509.ParseCertificate(der); err == nil {
			between.AddCert(c)
		}
	}
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: name, Intermediates: between}); err != nil {
		return fmt.Errorf("clients will not trust it: %w; is the whole chain in the file?", err)
	}
	return nil
}

// checkReadable returns an error if only root can read a file: the systemd unit does not run as root.
func checkReadable(path string) error {
	info, err := os.Stat(path)
	if err != nil || os.Geteuid() != 0 || info.Mode().Perm()&0o044 != 0 {
		return nil
	}
	return fmt.Errorf("only its owner can read %s, and the agent of the systemd unit is another user: README.md, "+
		"Certificates", path)
}

// checkReality tests that the site that a REALITY node presents supports the TLS version that it needs.
func checkReality(ctx context.Context, r api.Reality) error {
	ctx, cancel := context.WithTimeout(ctx, firstSnapshotTimeout)
	defer cancel()
	name := ""
	if len(r.ServerNames) > 0 {
		name = r.ServerNames[0]
	}
	// The certificate is presented to clients, not trusted.
	dialer := tls.Dialer{Config: &tls.Config{ServerName: name, MinVersion: tls.VersionTLS13, InsecureSkipVerify: true}}
	conn, err := dialer.DialContext(ctx, "tcp", r.Dest)
	if err != nil {
		return fmt.Errorf("it does not answer by TLS 1.3 as %s, so nobody gets in: %w", name, err)
	}
	return conn.Close()
}
