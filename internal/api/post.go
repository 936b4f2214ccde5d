package api

import (
	"bytes"
	"io"

	"airstrip/internal/traffic"
)

// mostCommas bounds what a post of a node becomes in memory: a value takes a comma, and a hundred times the bytes once it is
// read. It is ten for each row of the longest report, of which the longest rows have four.
const mostCommas = 10 * traffic.MaxRows

// ReadPost reads the body of a post of a node: ErrTooLarge where it is too long, or of more values than any agent sends.
func ReadPost(body io.Reader) ([]byte, error) {
	post, err := io.ReadAll(body)
	if err != nil {
		return nil, Unreadable(err)
	}
	if bytes.Count(post, []byte{','}) > mostCommas {
		return nil, ErrTooLarge
	}
	return post, nil
}
