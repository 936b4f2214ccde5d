// Package attachment reads files that people send and keeps them, in a folder or in an S3-compatible bucket. What a
// file is follows from its bytes, never from its name or from what its sender calls it. Of an image only what draws it
// is kept: no place where it was taken, no camera, nothing behind its end. Any other file is text, or refused.
package attachment

import (
	"airstrip/internal/fault"
)

// The limits of one file.
const (
	MaxBytes  = 5 << 20
	MaxPixels = 50_000_000 // of an image, of which a browser needs four bytes each
	maxSide   = 20_000     // pixels
)

// Text is the media type of every file that is no image.
const Text = "text/plain"

// File is a file as it is kept.
type File struct {
	Name          string // safe to be written to a disk, with the ending of its type
	MediaType     string // image/png, image/jpeg, image/gif, image/webp or Text
	Data          []byte
	Width, Height int // 0 where it is no image
}

// Faults of files.
var (
	ErrEmpty = fault.Unprocessable("attachment_empty", "文件是空的", "The file is empty")
	ErrSize  = fault.Unprocessable("attachment_too_large", "文件超过 5 MB", "The file is larger than 5 MB")
	ErrType  = fault.Unprocessable("attachment_type", "只能发送图片（PNG、JPEG、GIF、WebP）和文本文件",
		"Only pictures (PNG, JPEG, GIF, WebP) and text files can be sent")
	ErrDamaged = fault.Unprocessable("attachment_damaged", "图片已损坏，无法读取",
		"The picture is damaged and cannot be read")
	ErrPixels = fault.Unprocessable("attachment_pixels", "图片的尺寸过大，请缩小后再发送",
		"The picture has too many pixels; please make it smaller")
)

// image is what a reader of images found.
type image struct {
	data          []byte
	width, height int
	aside         bool // is shown turned by a quarter
}

// Read gives a file as it is to be kept: ErrEmpty, ErrSize, ErrType, ErrDamaged, ErrPixels. No image is decoded, so
// that one of few bytes and many pixels costs nothing.
func Read(name string, data []byte) (File, error) {
	switch {
	case len(data) == 0:
		return File{}, ErrEmpty
	case len(data) > MaxBytes:
		return File{}, ErrSize
	}
	for _, kind := range kinds {
		if !kind.is(data) {
			continue
		}
		found, err := kind.read(data)
		if err != nil {
			return File{}, err
		}
		return File{safeName(name, kind.endings), kind.media, found.data, found.width, found.height}, nil
	}
	plain, ok := readText(data)
	if !ok {
		return File{}, ErrType
	}
	if len(plain) > MaxBytes {
		return File{}, ErrSize
	}
	return File{Name: safeName(name, textEndings), MediaType: Text, Data: plain}, nil
}

var kinds = []struct {
	media   string
	endings []string // the first one is put behind a name that has none of them
	is      func(data []byte) bool
	read    func(data []byte) (image, error)
}{
	{"image/png", []string{".png"}, begins("\x89PNG\r\n\x1a\n"), readPNG},
	{"image/jpeg", []string{".jpg", ".jpeg"}, begins("\xff\xd8\xff"), readJPEG},
	{"image/gif", []string{".gif"}, begins("GIF87a", "GIF89a"), readGIF},
	{"image/webp", []string{".webp"}, isWebP, readWebP},
}

// checkPixels refuses sizes that no picture has, or that take too much memory to show.
func checkPixels(width, height int) error {
	switch {
	case width <= 0 || height <= 0:
		return ErrDamaged
	case width > maxSide || height > maxSide || width*height > MaxPixels:
		return ErrPixels
	}
	return nil
}
