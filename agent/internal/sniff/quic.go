package sniff

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// maxPackets is how many packets of a flow are inspected. A client hello takes one to three.
const maxPackets = 8

// Packets inspects the packets of a client to one destination for a QUIC handshake (RFC 9000 and 9369).
type Packets struct {
	Forbidden func(host string) error

	inspected int
	first     []byte // Connection ID from which the handshake keys are derived.
	frames    []frame
	done      bool
	refused   error
}

// frame is a piece of the client hello.
type frame struct {
	offset int
	data   []byte
}

// Inspect takes each packet. It returns the error of Forbidden: neither this packet nor a later one may be forwarded.
// Earlier packets may have been, and did not contain a complete client hello.
func (p *Packets) Inspect(packet []byte) error {
	if p.done {
		return p.refused
	}
	p.inspected++
	p.done = p.inspected >= maxPackets || !p.read(packet)
	name, more := serverName(p.hello())
	if more && !p.done {
		return nil
	}
	p.done, p.frames = true, nil
	if name != "" {
		p.refused = p.Forbidden(name)
	}
	return p.refused
}

// hello returns the part of the client hello that is known without gaps, as a TLS record.
func (p *Packets) hello() []byte {
	record := []byte{recordHandshake, 3, 1, 0, 0}
	slices.SortFunc(p.frames, func(a, b frame) int { return a.offset - b.offset })
	for _, f := range p.frames {
		at := len(record) - 5
		if f.offset > at {
			break
		}
		if end := f.offset + len(f.data); end > at && end <= maxBytes {
			record = append(record, f.data[at-f.offset:]...)
		}
	}
	// The record header claims the length of the whole hello, whose rest may still follow (RFC 8446, section 4: one
	// byte of type and 24 bits of length).
	size := max(len(record)-5, 1)
	if len(record) >= 9 {
		if whole := 4 + int(record[6])<<16 + int(record[7])<<8 + int(record[8]); whole <= maxBytes {
			size = max(size, whole)
		}
	}
	binary.BigEndian.PutUint16(record[3:], uint16(size))
	return record
}

// version is a QUIC version with the constants that protect its initial packets.
type version struct {
	salt        []byte
	key, iv, hp string
	initial     byte // Type of an initial packet.
}

var versions = map[uint32]version{
	1: {
		[]byte("\x38\x76\x2c\xf7\xf5\x59\x34\xb3\x4d\x17\x9a\xe6\xa4\xc8\x0c\xad\xcc\xbb\x7f\x0a"),
		"quic key", "quic iv", "quic hp", 0,
	},
	0x6b3343cf: {
		[]byte("\x0d\xed\xe3\xde\xf7\x00\xa6\xdb\x81\x93\x81\xbe\x6e\x26\x9d\xcb\xf9\xbd\x2e\xd9"),
		"quicv2 key", "quicv2 iv", "quicv2 hp", 1,
	},
}

// read extracts the pieces of the client hello from a datagram. It reports whether the datagram is QUIC.
func (p *Packets) read(datagram []byte) bool {
	for len(datagram) > 0 {
		r := reader{remaining: datagram}
		flags := r.byte()
		v, known := versions[uint32(r.number(4))]
		if flags&0xc0 != 0xc0 || !known {
			return false
		}
		id := r.consume(int(r.byte()))
		r.consume(int(r.byte()))
		kind := flags >> 4 & 3
		if kind == v.initial {
			r.consume(r.varint())
		}
		length := r.varint()
		head := len(datagram) - len(r.remaining)
		if r.consume(length); r.short || length < 20 {
			return false
		}
		if kind == v.initial {
			if p.first == nil {
				p.first = slices.Clone(id)
			}
			payload, ok := v.open(p.first, datagram[:head+length], head)
			if !ok {
				// After a retry the server's connection ID applies.
				payload, ok = v.open(id, datagram[:head+length], head)
			}
			if !ok {
				return false
			}
			p.collect(payload)
		}
		datagram = datagram[head+length:]
	}
	return true
}

// open removes the protection of a packet (RFC 9001, section 5). head is the offset of its packet number.
func (v version) open(id, packet []byte, head int) ([]byte, bool) {
	secret, err := hkdf.Extract(sha256.New, id, v.salt)
	if err != nil {
		return nil, false
	}
	secret = expand(secret, "client in", 32)
	masking, err := aes.NewCipher(expand(secret, v.hp, 16))
	if err != nil {
		return nil, false
	}
	var mask [aes.BlockSize]byte
	masking.Encrypt(mask[:], packet[head+4:head+20])
	packet = slices.Clone(packet)
	packet[0] ^= mask[0] & 0x0f
	size := int(packet[0]&3) + 1
	nonce := expand(secret, v.iv, 12)
	for i := range size {
		packet[head+i] ^= mask[1+i]
		nonce[12-size+i] ^= packet[head+i]
	}
	block, err := aes.NewCipher(expand(secret, v.key, 16))
	if err != nil {
		return nil, false
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, false
	}
	payload, err := aead.Open(nil, nonce, packet[head+size:], packet[:head+size])
	return payload, err == nil
}

// expand is HKDF-Expand-Label without a context (RFC 8446, section 7.1).
func expand(secret []byte, label string, size int) []byte {
	label = "tls13 " + label
	info := append([]byte{0, byte(size), byte(len(label))}, label...)
	// It fails only for sizes far beyond these.
	out, _ := hkdf.Expand(sha256.New, secret, string(append(info, 0)), size)
	return out
}

// collect keeps the CRYPTO frames of an initial packet (RFC 9000, section 19).
func (p *Packets) collect(payload []byte) {
	for r := (&reader{remaining: payload}); len(r.remaining) > 0; {
		switch kind := r.byte(); kind {
		case 0, 1: // PADDING, PING
		case 2, 3: // ACK
			r.varint()
			r.varint()
			ranges := r.varint()
			r.varint()
			for i := 0; i < ranges && !r.short; i++ {
				r.varint()
				r.varint()
			}
			if kind == 3 {
				r.varint()
				r.varint()
				r.varint()
			}
		case 6: // CRYPTO
			offset := r.varint()
			data := r.consume(r.varint())
			if r.short || offset > maxBytes || len(p.frames) >= 256 {
				return
			}
			p.frames = append(p.frames, frame{offset, data})
		default:
			return
		}
	}
}

// reader consumes numbers and bytes from the front. short is set once there were too few.
type reader struct {
	remaining []byte
	short     bool
}

func (r *reader) consume(n int) []byte {
	if n < 0 || n > len(r.remaining) {
		r.short, r.remaining = true, nil
		return nil
	}
	b := r.remaining[:n]
	r.remaining = r.remaining[n:]
	return b
}

func (r *reader) byte() byte { return byte(r.number(1)) }

func (r *reader) number(size int) (n int) {
	for _, b := range r.consume(size) {
		n = n<<8 | int(b)
	}
	return n
}

// varint reads a variable-length integer (RFC 9000, section 16).
func (r *reader) varint() int {
	if len(r.remaining) == 0 {
		r.short = true
		return 0
	}
	size := 1 << (r.remaining[0] >> 6)
	return r.number(size) & (1<<(size*8-2) - 1)
}
