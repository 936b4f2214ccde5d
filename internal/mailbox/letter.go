package mailbox

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // mails in GBK and the like
	gomail "github.com/emersion/go-message/mail"

	"airstrip/internal/attachment"
	"airstrip/internal/ticket"
)

// letter is a mail as it is added to a ticket.
type letter struct {
	text  string
	files []file
}

type file struct {
	name string
	data []byte
}

// recipients are the headers in which a server writes whom a mail came to.
var recipients = []string{"To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"}

// isAutomatic tells whether a program wrote a mail: an absence notice, a report of a mail that did not arrive, a list.
// https://datatracker.ietf.org/doc/html/rfc3834#section-2
func isAutomatic(h *message.Header) bool {
	if auto := strings.ToLower(strings.TrimSpace(h.Get("Auto-Submitted"))); auto != "" && auto != "no" {
		return true
	}
	switch strings.ToLower(strings.TrimSpace(h.Get("Precedence"))) {
	case "bulk", "junk", "list", "auto_reply":
		return true
	}
	for _, name := range []string{"List-Id", "List-Unsubscribe", "X-Autoreply", "X-Autorespond", "X-Auto-Response-Suppress"} {
		if h.Has(name) {
			return true
		}
	}
	media, _, err := h.ContentType()
	return err == nil && media == "multipart/report" || strings.TrimSpace(h.Get("Return-Path")) == "<>"
}

// readLetter reads what the user wrote and sent with it. Files beyond the limit of a message, and larger than one may
// be, are left out.
func readLetter(raw []byte) (letter, error) {
	r, err := gomail.CreateReader(bytes.NewReader(raw))
	if err != nil && !message.IsUnknownCharset(err) {
		return letter{}, err
	}
	var out letter
	var html string
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !message.IsUnknownCharset(err) {
			return letter{}, err
		}
		data, err := io.ReadAll(io.LimitReader(part.Body, attachment.MaxBytes+1))
		if err != nil {
			return letter{}, err
		}
		name, isFile := nameOf(part.Header)
		switch {
		case isFile && len(out.files) < ticket.MaxFiles && len(data) > 0:
			out.files = append(out.files, file{name, data})
		case isFile:
		case out.text == "" && mediaOf(part.Header) == "text/plain":
			out.text = string(data)
		case html == "" && mediaOf(part.Header) == "text/html":
			html = string(data)
		}
	}
	if strings.TrimSpace(out.text) == "" {
		out.text = plainOf(html)
	}
	out.text = answerOf(out.text)
	return out, nil
}

func mediaOf(h gomail.PartHeader) string {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if media == "" {
		return "text/plain"
	}
	return strings.ToLower(strings.TrimSpace(media))
}

// nameOf gives the name of a file; pictures within the text are files, too.
func nameOf(h gomail.PartHeader) (name string, isFile bool) {
	switch h := h.(type) {
	case *gomail.AttachmentHeader:
		name, _ = h.Filename()
		return name, true
	case *gomail.InlineHeader:
		_, params, _ := h.ContentType()
		return params["name"], strings.HasPrefix(mediaOf(h), "image/")
	}
	return "", false
}
