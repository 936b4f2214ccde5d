package attachment_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"airstrip/internal/attachment"
)

func drawn(width, height int) *image.Paletted {
	out := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
	for x := range width {
		out.Set(x, x%height, color.White)
	}
	return out
}

func encoded(t *testing.T, encode func(to *bytes.Buffer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func aPNG(t *testing.T) []byte {
	return encoded(t, func(to *bytes.Buffer) error { return png.Encode(to, drawn(40, 30)) })
}

func aJPEG(t *testing.T) []byte {
	return encoded(t, func(to *bytes.Buffer) error { return jpeg.Encode(to, drawn(40, 30), nil) })
}

func aGIF(t *testing.T) []byte {
	return encoded(t, func(to *bytes.Buffer) error {
		return gif.EncodeAll(to, &gif.GIF{Image: []*image.Paletted{drawn(40, 30), drawn(40, 30)}, Delay: []int{5, 5}})
	})
}

// aWebP is a lossless picture of one pixel, in the extended form with what follows.
func aWebP(t *testing.T, more ...[]byte) []byte {
	t.Helper()
	simple, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	body := slices.Concat([]byte("WEBP"), riff("VP8X", []byte{0x2C, 0, 0, 0, 0, 0, 0, 0, 0, 0}), simple[12:])
	for _, chunk := range more {
		body = append(body, chunk...)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riff(kind string, body []byte) []byte {
	out := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body))), body...)
	return append(out, make([]byte, len(body)%2)...)
}

func chunk(kind, body string) []byte {
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), kind+body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// exif is what a phone writes: its orientation, and more that must not be kept.
func exif(orientation byte) []byte {
	body := "Exif\x00\x00MM\x00\x2A\x00\x00\x00\x08\x00\x02" +
		"\x01\x0F\x00\x02\x00\x00\x00\x07\x00\x00\x00\x26" + "\x01\x12\x00\x03\x00\x00\x00\x01\x00" +
		string(orientation) + "\x00\x00\x00\x00\x00\x00SECRET\x00"
	return append(append([]byte{0xFF, 0xE1}, binary.BigEndian.AppendUint16(nil, uint16(len(body)+2))...), body...)
}

func TestRead_Images_KeepThePictureAndNothingElse(t *testing.T) {
	const hidden = "SECRET place 31.2N 121.5E <script>alert(1)</script>"
	app := append(append([]byte{0xFF, 0xE2}, binary.BigEndian.AppendUint16(nil, uint16(len(hidden)+2))...), hidden...)
	pictureOfPNG, pictureOfJPEG, pictureOfGIF := aPNG(t), aJPEG(t), aGIF(t)
	comment := append(append([]byte{0x21, 0xFE, byte(len(hidden))}, hidden...), 0)
	for _, c := range []struct {
		name, media string
		data        []byte
		width       int
	}{
		{"a.png", "image/png", slices.Concat(pictureOfPNG[:33], chunk("tEXt", hidden), chunk("eXIf", hidden),
			chunk("iCCP", hidden), pictureOfPNG[33:], []byte(hidden)), 40},
		{"a.jpg", "image/jpeg", slices.Concat(pictureOfJPEG[:2], exif(3), app, pictureOfJPEG[2:], []byte(hidden),
			pictureOfJPEG), 40},
		{"a.gif", "image/gif", slices.Concat(pictureOfGIF[:len(pictureOfGIF)-1], comment, []byte{0x3B}, []byte(hidden)), 40},
		{"a.webp", "image/webp", append(aWebP(t, riff("EXIF", []byte(hidden)), riff("XMP ", []byte(hidden)),
			riff("ICCP", []byte(hidden))), hidden...), 1},
	} {
		read, err := attachment.Read("photo.html", c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if bytes.Contains(read.Data, []byte("SECRET")) || bytes.Contains(read.Data, []byte("script")) {
			t.Errorf("%s keeps what does not draw it", c.name)
		}
		if read.MediaType != c.media || read.Width != c.width {
			t.Errorf("%s is %s, %d wide", c.name, read.MediaType, read.Width)
		}
		if strings.HasSuffix(read.Name, ".html") {
			t.Errorf("%s is called %s", c.name, read.Name)
		}
		again, err := attachment.Read(read.Name, read.Data)
		if err != nil || !bytes.Equal(again.Data, read.Data) {
			t.Errorf("%s read once more is another file: %v", c.name, err)
		}
		if c.media == "image/webp" {
			continue
		}
		before, _, err := image.Decode(bytes.NewReader(c.data))
		if err != nil {
			t.Fatal(err)
		}
		after, _, err := image.Decode(bytes.NewReader(read.Data))
		if err != nil {
			t.Fatalf("%s cannot be decoded: %v", c.name, err)
		}
		for x := range 40 {
			for y := range 30 {
				if before.At(x, y) != after.At(x, y) {
					t.Fatalf("%s has another colour at %d,%d", c.name, x, y)
				}
			}
		}
	}
	turned, err := attachment.Read("a.jpg", slices.Concat(pictureOfJPEG[:2], exif(6), pictureOfJPEG[2:]))
	if err != nil || turned.Width != 30 || turned.Height != 40 ||
		!bytes.Contains(turned.Data, []byte("\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06")) {
		t.Errorf("the orientation is lost: %v", err)
	}
}

func TestRead_RefusesWhatIsNoPictureAndNoText(t *testing.T) {
	bomb := slices.Concat(aPNG(t)[:8], chunk("IHDR", "\x00\x00\x4e\x00\x00\x00\x4e\x00\x01\x00\x00\x00\x00"),
		chunk("IDAT", "x"), chunk("IEND", ""))
	wide := slices.Concat(aPNG(t)[:8], chunk("IHDR", "\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00"),
		chunk("IEND", ""))
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":                {nil, attachment.ErrEmpty},
		"too much":               {bytes.Repeat([]byte("a"), attachment.MaxBytes+1), attachment.ErrSize},
		"a program":              {[]byte("\x7fELF\x02\x01\x01\x00\x00"), attachment.ErrType},
		"a zip":                  {[]byte("PK\x03\x04\x14\x00\x00\x00\x08\x00"), attachment.ErrType},
		"a PDF with bytes":       {[]byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x00"), attachment.ErrType},
		"a bomb":                 {bomb, attachment.ErrPixels},
		"the widest":             {wide, attachment.ErrPixels},
		"a cut PNG":              {aPNG(t)[:60], attachment.ErrDamaged},
		"a cut JPEG":             {aJPEG(t)[:300], attachment.ErrDamaged},
		"a cut GIF":              {aGIF(t)[:60], attachment.ErrDamaged},
		"a cut WebP":             {aWebP(t)[:40], attachment.ErrDamaged},
		"a PNG of a script":      {[]byte("\x89PNG\r\n\x1a\n<script>alert(1)</script>"), attachment.ErrDamaged},
		"a GIF of a script":      {[]byte("GIF89a/*<svg onload=alert(1)>*/=1;"), attachment.ErrPixels},
		"the beginning of one":   {[]byte("\xff\xd8\xff"), attachment.ErrDamaged},
		"GB18030 with a control": {append([]byte{0xb0, 0xa1}, 0), attachment.ErrType},
	} {
		if _, err := attachment.Read("a.png", c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestRead_Texts_BecomeUTF8WithAHarmlessName(t *testing.T) {
	const log = "2026-01-01 连接超时\r\n\tat 香港 01\n"
	gb, err := simplifiedchinese.GB18030.NewEncoder().Bytes([]byte(log))
	if err != nil {
		t.Fatal(err)
	}
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(log))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{[]byte(log), []byte("\ufeff" + log), gb, wide} {
		read, err := attachment.Read("client.log", data)
		if err != nil || string(read.Data) != log || read.MediaType != attachment.Text || read.Name != "client.log" {
			t.Errorf("%q: %v", read.Data, err)
		}
	}
	for name, want := range map[string]string{
		"page.html": "page.html.txt", "x.svg": "x.svg.txt", "run.bat": "run.bat.txt", "a.LOG": "a.LOG",
		"../../etc/passwd": "passwd.txt", `C:\logs\a.log`: "a.log", "": "file.txt", "..": "file.txt",
		"a\r\nSet-Cookie: x.log": "aSet-Cookie_ x.log", "gpj\u202e.log": "gpj.log", `a"b.txt`: "a_b.txt",
		"日志.txt": "日志.txt", "\xff.log": "file.txt",
		strings.Repeat("长", 300) + ".log": strings.Repeat("长", 96) + ".log",
	} {
		read, err := attachment.Read(name, []byte("<svg onload=alert(1)>"))
		if err != nil || read.MediaType != attachment.Text {
			t.Errorf("%s: %v", name, err)
		}
		if name == "\xff.log" {
			want = "log.txt"
		}
		if read.Name != want {
			t.Errorf("%q is called %q, want %q", name, read.Name, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("GIF89a"))
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8X"))
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := attachment.Read("a", data)
		if err != nil {
			return
		}
		again, err := attachment.Read(read.Name, read.Data)
		if err != nil || !bytes.Equal(again.Data, read.Data) || again.MediaType != read.MediaType {
			t.Errorf("what was kept is another file: %v", err)
		}
	})
}
