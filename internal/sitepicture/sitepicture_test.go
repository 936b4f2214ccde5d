package sitepicture_test

import (
	"bytes"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/sitepicture"
)

func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gifOf(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := gif.Encode(&out, image.NewGray(image.Rect(0, 0, 200, 200)), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func jpegOf(t *testing.T, side int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, side, side)), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestSet_ReplacesAPicture_OnEachServer(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p, err := sitepicture.New(t.Context(), d)
		if err != nil || p.Get(sitepicture.Logo) != nil {
			t.Fatal(p, err)
		}
		for _, side := range []int{200, 300} {
			if err := p.Set(t.Context(), sitepicture.Logo, pngOf(t, side, 100)); err != nil {
				t.Fatal(err)
			}
			other, err := sitepicture.New(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			got := other.Get(sitepicture.Logo)
			if got == nil || got.Width != side || got.MediaType != "image/png" ||
				got.Digest == "" || got.Digest != p.Get(sitepicture.Logo).Digest {
				t.Errorf("%+v", got)
			}
		}
		if err := p.Remove(t.Context(), sitepicture.Logo); err != nil || p.Get(sitepicture.Logo) != nil {
			t.Errorf("it is still there: %v", err)
		}
	})
}

func TestSet_WhatIsNoPictureOfTheKind_IsRefused(t *testing.T) {
	p, err := sitepicture.New(t.Context(), dbtest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		picture string
		data    []byte
		code    string
	}{
		"an SVG":             {sitepicture.Logo, []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "type"},
		"nothing":            {sitepicture.Logo, nil, "unreadable"},
		"a script as a PNG":  {sitepicture.Logo, []byte("\x89PNG\r\n\x1a\n<script>alert(1)</script>"), "unreadable"},
		"a GIF":              {sitepicture.Logo, gifOf(t), "type"},
		"too wide":           {sitepicture.Logo, pngOf(t, 1025, 10), "pixels"},
		"a small icon":       {sitepicture.Icon, pngOf(t, 64, 64), "square"},
		"an icon as JPEG":    {sitepicture.Icon, jpegOf(t, 192), "type"},
		"an icon, no square": {sitepicture.Icon, pngOf(t, 512, 256), "square"},
		"too many bytes":     {sitepicture.Logo, make([]byte, 256<<10+1), "too_large"},
	} {
		err := p.Set(t.Context(), c.picture, c.data)
		var wrong *fault.Error
		if !errors.As(err, &wrong) || len(wrong.Fields) == 0 || wrong.Fields[0].Name != "data" ||
			wrong.Fields[0].Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What follows the end of a picture, such as a page that another reader of the file would find, is not served.
func TestSet_WhatFollowsThePicture_IsDropped(t *testing.T) {
	p, err := sitepicture.New(t.Context(), dbtest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	picture := pngOf(t, 200, 100)
	if err := p.Set(t.Context(), sitepicture.Logo, append(picture, "<script>alert(1)</script>"...)); err != nil {
		t.Fatal(err)
	}
	if got := p.Get(sitepicture.Logo); !bytes.Equal(got.Data, pngOf(t, 200, 100)) {
		t.Errorf("%q is stored", got.Data)
	}
}
