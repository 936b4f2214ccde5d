package node

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
)

// UserSecret returns the credential with which the user with this UUID and password authenticates on n. With TUIC it is
// both UUID and password, because UniProxy agents know only one value. All agents and links use it.
func UserSecret(n Node, id uuid.UUID, password string) string {
	if n.Protocol != Shadowsocks {
		return id.String()
	}
	size := keySize(n.Settings.Method)
	if size == 0 {
		return password
	}
	sum := sha256.Sum256([]byte("ss2022:" + password))
	return key2022(sum[:], size)
}

// key2022 derives a key of Shadowsocks 2022 from at least size random bytes. It is the base64 of letters, not of
// arbitrary bytes: UniProxy agents derive users' keys from text in this way, and PPanel agents the server's.
func key2022(random []byte, size int) string {
	letters := base64.RawURLEncoding.EncodeToString(random)
	return base64.StdEncoding.EncodeToString([]byte(letters[:size]))
}

// keySize returns the key length of a Shadowsocks 2022 method; 0 for an older method.
func keySize(method string) int {
	switch {
	case !strings.HasPrefix(method, "2022-"):
		return 0
	case strings.HasSuffix(method, "-aes-128-gcm"):
		return 16
	}
	return 32
}

// fillKeys generates the keys that the settings need and lack.
func fillKeys(n *Node, now time.Time) error {
	s := &n.Settings
	if size := keySize(s.Method); n.Protocol == Shadowsocks && size > 0 && s.ServerKey == "" {
		s.ServerKey = key2022(random(size), size)
	}
	if s.Obfs != "" && s.ObfsPassword == "" {
		s.ObfsPassword = base64.RawURLEncoding.EncodeToString(random(16))
	}
	if s.Security == "reality" && s.Reality != nil {
		return s.Reality.fillKeys()
	}
	if s.Security == "tls" {
		if s.TLS == nil {
			s.TLS = &TLS{}
		}
		if s.TLS.ServerName == "" {
			s.TLS.ServerName = strings.Trim(n.Address, "[]")
		}
		if s.TLS.Certificate == "" && s.TLS.CertificateFile == "" && s.TLS.ACME == nil {
			return s.TLS.selfSign(now)
		}
	}
	return nil
}

func (r *Reality) fillKeys() error {
	if len(r.ShortIDs) == 0 {
		r.ShortIDs = []string{hex.EncodeToString(random(4))}
	}
	if r.PrivateKey == "" {
		key, err := ecdh.X25519().GenerateKey(rand.Reader)
		if err != nil {
			return err
		}
		r.PrivateKey = base64.RawURLEncoding.EncodeToString(key.Bytes())
	}
	public, err := realityPublic(r.PrivateKey)
	if err != nil {
		return nil // the check names the field
	}
	r.PublicKey = public
	return nil
}

func realityPublic(private string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(private)
	if err != nil {
		return "", err
	}
	key, err := ecdh.X25519().NewPrivateKey(raw)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), nil
}

// selfSign generates a certificate for ten years that clients identify by its pin.
func (t *TLS) selfSign(now time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	certificate := &x509.Certificate{
		SerialNumber:          new(big.Int).SetBytes(random(16)),
		Subject:               pkix.Name{CommonName: t.ServerName},
		NotBefore:             now.Add(-24 * time.Hour), // for clients whose clock is slow
		NotAfter:              now.AddDate(10, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, // so that a client can also trust it as a root
	}
	if ip, err := netip.ParseAddr(t.ServerName); err == nil {
		certificate.IPAddresses = append(certificate.IPAddresses, ip.AsSlice())
	} else {
		certificate.DNSNames = []string{t.ServerName}
	}
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, &key.PublicKey, key)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	pin := sha256.Sum256(der)
	t.Certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	t.Key = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
	t.Pin = hex.EncodeToString(pin[:])
	return nil
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}
