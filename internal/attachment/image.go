package attachment

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

func begins(with ...string) func(data []byte) bool {
	return func(data []byte) bool {
		return slices.ContainsFunc(with, func(magic string) bool { return bytes.HasPrefix(data, []byte(magic)) })
	}
}

// pngKept are the chunks that draw a picture. Texts, times, EXIF and colour profiles, which name screens and cameras,
// are dropped, and so are the further frames of an animation.
var pngKept = []string{
	"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "sBIT", "sRGB", "cICP", "bKGD", "pHYs",
}

// readPNG keeps the chunks that draw the picture, up to its end.
// https://www.w3.org/TR/png-3/#5Chunk-layout
func readPNG(data []byte) (image, error) {
	const header, chunkFrame = 8, 12
	found := image{data: slices.Clone(data[:header])}
	for at := header; len(data)-at >= chunkFrame; {
		length := int64(binary.BigEndian.Uint32(data[at:]))
		if length > int64(len(data)-at-chunkFrame) {
			return image{}, ErrDamaged
		}
		end := at + chunkFrame + int(length)
		kind, body := string(data[at+4:at+8]), data[at+8:end-4]
		if crc32.ChecksumIEEE(data[at+4:end-4]) != binary.BigEndian.Uint32(data[end-4:]) ||
			(kind == "IHDR") != (at == header) {
			return image{}, ErrDamaged
		}
		if kind == "IHDR" {
			if length != 13 {
				return image{}, ErrDamaged
			}
			found.width, found.height = int(binary.BigEndian.Uint32(body)), int(binary.BigEndian.Uint32(body[4:]))
			if err := checkPixels(found.width, found.height); err != nil {
				return image{}, err
			}
		}
		if slices.Contains(pngKept, kind) {
			found.data = append(found.data, data[at:end]...)
		}
		if kind == "IEND" {
			return found, nil
		}
		at = end
	}
	return image{}, ErrDamaged
}

// The markers of JPEG that are looked at. https://www.w3.org/Graphics/JPEG/itu-t81.pdf, table B.1
const (
	jpegBaseline, jpegExtended, jpegProgressive = 0xC0, 0xC1, 0xC2

	jpegHuffman, jpegQuantization, jpegRestart = 0xC4, 0xDB, 0xDD

	jpegScan, jpegEnd             = 0xDA, 0xD9
	jpegApp0, jpegApp1, jpegApp14 = 0xE0, 0xE1, 0xEE
)

// readJPEG keeps the tables and scans of the picture, and of its EXIF data only how it is to be turned. A second
// picture behind the first, as cameras append, is dropped.
func readJPEG(data []byte) (image, error) {
	found := image{data: []byte{0xFF, 0xD8}}
	for at := 2; ; {
		marker, start := jpegMarker(data, at)
		if marker == jpegEnd {
			if found.width == 0 {
				return image{}, ErrDamaged
			}
			found.data = append(found.data, 0xFF, jpegEnd)
			if found.aside {
				found.width, found.height = found.height, found.width
			}
			return found, nil
		}
		if marker == 0 || len(data)-start < 2 {
			return image{}, ErrDamaged
		}
		end := start + int(binary.BigEndian.Uint16(data[start:]))
		if end < start+2 || end > len(data) {
			return image{}, ErrDamaged
		}
		body := data[start+2 : end]
		switch marker {
		case jpegBaseline, jpegExtended, jpegProgressive:
			if len(body) < 6 || found.width != 0 {
				return image{}, ErrDamaged
			}
			found.height, found.width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
			if err := checkPixels(found.width, found.height); err != nil {
				return image{}, err
			}
		case jpegScan:
			end = jpegScanEnd(data, end)
		case jpegHuffman, jpegQuantization, jpegRestart:
		case jpegApp0: // JFIF without its small picture
			body = append(slices.Clone(body[:min(len(body), 12)]), 0, 0)
			if len(body) == 14 && bytes.HasPrefix(body, []byte("JFIF\x00")) {
				found.data = append(append(found.data, 0xFF, jpegApp0, 0, 16), body...)
			}
			at = end
			continue
		case jpegApp1:
			if o := orientation(body); o > 0 {
				found.data = append(found.data, turned(o)...)
				found.aside = o >= 5
			}
			at = end
			continue
		case jpegApp14: // how its colours are coded
			if len(body) >= 12 && bytes.HasPrefix(body, []byte("Adobe")) {
				found.data = append(append(found.data, 0xFF, jpegApp14, 0, 14), body[:12]...)
			}
			at = end
			continue
		default:
			if marker < jpegApp0 { // another way of coding, which browsers do not show
				return image{}, ErrDamaged
			}
			at = end // what programs add: comments, profiles, further pictures
			continue
		}
		found.data = append(append(found.data, 0xFF, marker), data[start:end]...)
		at = end
	}
}

// jpegMarker gives the marker at a place, and where what belongs to it begins; 0 where there is none.
func jpegMarker(data []byte, at int) (marker byte, start int) {
	if at >= len(data) || data[at] != 0xFF {
		return 0, at
	}
	for at < len(data) && data[at] == 0xFF { // any number of them may fill
		at++
	}
	if at >= len(data) {
		return 0, at
	}
	return data[at], at + 1
}

// jpegScanEnd gives where the coded data of a scan ends: at the next marker that is not a part of it.
func jpegScanEnd(data []byte, at int) int {
	for ; at+1 < len(data); at++ {
		if data[at] != 0xFF {
			continue
		}
		next := data[at+1]
		if next != 0 && next != 0xFF && (next < 0xD0 || next > 0xD7) {
			return at
		}
	}
	return len(data)
}

// orientation gives how a picture is to be turned, 2 to 8, by its EXIF data; 0 where it stands as it is.
// https://www.cipa.jp/std/documents/e/DC-X008-Translation-2019-E.pdf, 4.6.4
func orientation(body []byte) byte {
	const tag, short, entryBytes = 0x0112, 3, 12
	exif, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00"))
	if !ok || len(exif) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(exif, []byte("II")) {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(exif[4:]))
	if at+2 > int64(len(exif)) {
		return 0
	}
	entries := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(entries) < entryBytes {
			return 0
		}
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if o := order.Uint16(entries[8:]); o >= 2 && o <= 8 {
				return byte(o)
			}
			return 0
		}
		entries = entries[entryBytes:]
	}
	return 0
}

// turned gives a segment of EXIF data that says an orientation and nothing else.
func turned(orientation byte) []byte {
	return append([]byte("\xFF\xE1\x00\x22Exif\x00\x00MM\x00\x2A\x00\x00\x00\x08\x00\x01"+
		"\x01\x12\x00\x03\x00\x00\x00\x01\x00"), orientation, 0, 0, 0, 0, 0, 0)
}
