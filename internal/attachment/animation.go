package attachment

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// maxFrames bounds what an animation makes a browser draw, in pictures of the greatest size.
const maxFrames = 20

// readGIF keeps the frames, their times and how often they repeat.
// https://www.w3.org/Graphics/GIF/spec-gif89a.txt
func readGIF(data []byte) (image, error) {
	const (
		header                                   = 13
		extension, picture, trailer              = 0x21, 0x2C, 0x3B
		control, application, colours, tableSize = 0xF9, 0xFF, 0x80, 0x07
		netscape                                 = "\x0bNETSCAPE2.0"
	)
	if len(data) < header {
		return image{}, ErrDamaged
	}
	found := image{width: int(binary.LittleEndian.Uint16(data[6:])), height: int(binary.LittleEndian.Uint16(data[8:]))}
	if err := checkPixels(found.width, found.height); err != nil {
		return image{}, err
	}
	table := func(flags byte) int {
		if flags&colours == 0 {
			return 0
		}
		return 3 << (flags&tableSize + 1)
	}
	at := header + table(data[10])
	if at > len(data) {
		return image{}, ErrDamaged
	}
	found.data = slices.Clone(data[:at])
	for drawn := 0; at < len(data); {
		start, kept := at, true
		switch data[at] {
		case trailer:
			if drawn == 0 {
				return image{}, ErrDamaged
			}
			found.data = append(found.data, trailer)
			return found, nil
		case picture:
			if len(data)-at < 11 {
				return image{}, ErrDamaged
			}
			width, height := int(binary.LittleEndian.Uint16(data[at+5:])), int(binary.LittleEndian.Uint16(data[at+7:]))
			if drawn += width * height; width*height == 0 || width > found.width || height > found.height {
				return image{}, ErrDamaged
			} else if drawn > maxFrames*MaxPixels {
				return image{}, ErrPixels
			}
			at += 10 + table(data[at+9]) + 1
		case extension:
			if len(data)-at < 2 {
				return image{}, ErrDamaged
			}
			kind := data[at+1]
			at += 2
			kept = kind == control || kind == application && bytes.HasPrefix(data[at:], []byte(netscape))
		default:
			return image{}, ErrDamaged
		}
		if at = gifBlocksEnd(data, at); at < 0 {
			return image{}, ErrDamaged
		}
		if kept {
			found.data = append(found.data, data[start:at]...)
		}
	}
	return image{}, ErrDamaged
}

// gifBlocksEnd gives where the blocks that begin at a place end; -1 where they do not.
func gifBlocksEnd(data []byte, at int) int {
	for at < len(data) {
		size := int(data[at])
		at += 1 + size
		if size == 0 {
			return at
		}
	}
	return -1
}

func isWebP(data []byte) bool {
	return len(data) >= 16 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP"
}

// readWebP keeps the chunks that draw the picture, and clears the flags of those that are dropped.
// https://developers.google.com/speed/webp/docs/riff_container
func readWebP(data []byte) (image, error) {
	const header, frameHeader = 12, 16
	size := int64(binary.LittleEndian.Uint32(data[4:])) + 8
	if size < header || size > int64(len(data)) {
		return image{}, ErrDamaged
	}
	found := image{data: slices.Clone(data[:header])}
	var drawn int
	err := eachChunk(data[header:size], func(kind string, chunk, body []byte) error {
		switch kind {
		case "VP8X":
			const flags = 1<<4 | 1<<1 // transparency, animation; not a profile, EXIF or XMP
			if len(body) < 10 {
				return ErrDamaged
			}
			chunk = slices.Clone(chunk)
			chunk[8] &= flags
		case "VP8 ", "VP8L", "ALPH", "ANIM":
		case "ANMF":
			if len(body) < frameHeader {
				return ErrDamaged
			}
			frame := slices.Clone(body[:frameHeader])
			err := eachChunk(body[frameHeader:], func(kind string, chunk, body []byte) error {
				if kind != "ALPH" && kind != "VP8 " && kind != "VP8L" {
					return nil
				}
				frame = append(frame, chunk...)
				width, height, err := webpSize(kind, body)
				drawn += width * height
				return err
			})
			if err != nil {
				return err
			}
			chunk = binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(frame)))
			chunk = append(chunk, frame...)
		default:
			return nil
		}
		width, height, err := webpSize(kind, body)
		found.width, found.height = max(found.width, width), max(found.height, height)
		if kind != "VP8X" {
			drawn += width * height
		}
		found.data = append(found.data, chunk...)
		return err
	})
	if err != nil {
		return image{}, err
	}
	if drawn == 0 {
		return image{}, ErrDamaged
	}
	if drawn > maxFrames*MaxPixels {
		return image{}, ErrPixels
	}
	binary.LittleEndian.PutUint32(found.data[4:], uint32(len(found.data)-8))
	return found, nil
}

// eachChunk calls fn with the chunks of a RIFF file: whole, with its filling byte, and its body.
func eachChunk(data []byte, fn func(kind string, chunk, body []byte) error) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return ErrDamaged
		}
		size := int64(binary.LittleEndian.Uint32(data[4:]))
		if 8+size+size%2 > int64(len(data)) {
			return ErrDamaged
		}
		if err := fn(string(data[:4]), data[:8+size+size%2], data[8:8+size]); err != nil {
			return err
		}
		data = data[8+size+size%2:]
	}
	return nil
}

// webpSize gives the size that a chunk says, 0 where it says none, and refuses one that is too large.
func webpSize(kind string, body []byte) (width, height int, err error) {
	switch kind {
	case "VP8X":
		width = 1 + (int(body[4]) | int(body[5])<<8 | int(body[6])<<16)
		height = 1 + (int(body[7]) | int(body[8])<<8 | int(body[9])<<16)
	case "VP8 ": // https://datatracker.ietf.org/doc/html/rfc6386#section-9.1
		if len(body) < 10 || body[0]&1 != 0 || !bytes.Equal(body[3:6], []byte{0x9D, 0x01, 0x2A}) {
			return 0, 0, ErrDamaged
		}
		width = int(binary.LittleEndian.Uint16(body[6:])) & 0x3FFF
		height = int(binary.LittleEndian.Uint16(body[8:])) & 0x3FFF
	case "VP8L":
		if len(body) < 5 || body[0] != 0x2F {
			return 0, 0, ErrDamaged
		}
		bits := binary.LittleEndian.Uint32(body[1:])
		width, height = int(bits&0x3FFF)+1, int(bits>>14&0x3FFF)+1
	default:
		return 0, 0, nil
	}
	return width, height, checkPixels(width, height)
}
