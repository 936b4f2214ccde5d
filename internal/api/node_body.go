package api

import (
	"bytes"
	"io"

	"airstrip/internal/traffic"
)

// maxCommas bounds the memory that a body of a node takes when decoded: each value needs a comma, and a hundred times
// the bytes once it is decoded. Ten for each row of the longest report leave room: the longest rows have four.
const maxCommas = 10 * traffic.MaxRows

// ReadNodeBody reads the body of a request of a node. It answers ErrTooLarge to a body that is too long, or that has
// more values than any agent sends.
func ReadNodeBody(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, Unreadable(err)
	}
	if bytes.Count(text, []byte{','}) > maxCommas {
		return nil, ErrTooLarge
	}
	return text, nil
}
