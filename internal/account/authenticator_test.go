package account_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

// authenticator is a device with one passkey, and the browser in front of it.
type authenticator struct {
	w        *testSite
	origin   string // of the page that the browser shows
	id       []byte
	key      *ecdsa.PrivateKey
	handle   string // of the user that the key was made for, in base64
	count    uint32
	verifies bool // whether it makes sure that it is its owner
}

func (w *testSite) authenticator() *authenticator {
	w.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	w.must(err)
	return &authenticator{w: w, origin: "http://localhost:8080", id: []byte(rand.Text()), key: key, verifies: true}
}

var b64 = base64.RawURLEncoding.EncodeToString

func (d *authenticator) clientData(kind, challenge string) []byte {
	raw, err := json.Marshal(map[string]any{
		"type": kind, "challenge": challenge, "origin": d.origin,
		"crossOrigin": false,
	})
	d.w.must(err)
	return raw
}

// data is the authenticator data of WebAuthn section 6.1, with the key where one was made.
func (d *authenticator) data(relyingParty string, made []byte) []byte {
	flags := byte(0x01) // present
	if d.verifies {
		flags |= 0x04
	}
	if made != nil {
		flags |= 0x40
	}
	hash := sha256.Sum256([]byte(relyingParty))
	return append(binary.BigEndian.AppendUint32(append(hash[:], flags), d.count), made...)
}

func (d *authenticator) respond(response map[string]any) json.RawMessage {
	raw, err := json.Marshal(map[string]any{
		"id": b64(d.id), "rawId": b64(d.id), "type": "public-key",
		"response": response, "clientExtensionResults": map[string]any{"credProps": map[string]any{"rk": true}},
	})
	d.w.must(err)
	return raw
}

// create answers the options of a registration.
func (d *authenticator) create(options json.RawMessage) json.RawMessage {
	d.w.Helper()
	var o struct {
		Challenge string
		RP        struct{ ID string }
		User      struct{ ID string }
	}
	d.w.must(json.Unmarshal(options, &o))
	d.handle = o.User.ID
	point, err := d.key.PublicKey.Bytes() // 4, x, y
	d.w.must(err)
	cose, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	d.w.must(err)
	made := make([]byte, 16) // no model
	made = append(binary.BigEndian.AppendUint16(made, uint16(len(d.id))), d.id...)
	object, err := webauthncbor.Marshal(map[string]any{
		"fmt": "none", "attStmt": map[string]any{},
		"authData": d.data(o.RP.ID, append(made, cose...)),
	})
	d.w.must(err)
	return d.respond(map[string]any{
		"clientDataJSON":    b64(d.clientData("webauthn.create", o.Challenge)),
		"attestationObject": b64(object), "transports": []string{"internal"},
	})
}

// get answers the options of a sign-in.
func (d *authenticator) get(options json.RawMessage) json.RawMessage {
	d.w.Helper()
	var o struct{ Challenge, RPID string }
	d.w.must(json.Unmarshal(options, &o))
	d.count++
	client, data := d.clientData("webauthn.get", o.Challenge), d.data(o.RPID, nil)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	d.w.must(err)
	return d.respond(map[string]any{
		"clientDataJSON": b64(client), "authenticatorData": b64(data),
		"signature": b64(signature), "userHandle": d.handle,
	})
}
