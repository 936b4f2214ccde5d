package backup

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// table is what precedes a table's rows.
type table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Last    *int64   `json:"last"` // the last number that the table gave to a row, where it gives numbers
}

// The kinds of cells. Truth values are the numbers 0 and 1; times, UUIDs and JSON are text, as SQLite keeps them.
const (
	isNull = iota
	isNumber
	isText
	isBytes
)

// appendCell appends a value as the engines' drivers give it.
func appendCell(b []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(b, isNull), nil
	case int64:
		return binary.AppendVarint(append(b, isNumber), v), nil
	case string:
		return appendBytes(append(b, isText), v), nil
	case []byte:
		return appendBytes(append(b, isBytes), v), nil
	}
	return nil, fmt.Errorf("backup: a value of type %T", value)
}

// appendRow appends the cells of a row. JSON that PostgreSQL keeps is written in one form, with sorted keys and without
// spaces: it does not keep the text as it was.
func appendRow(b []byte, values []any, isJSON []bool) ([]byte, error) {
	for i, value := range values {
		if text, ok := value.(string); ok && isJSON[i] {
			var err error
			if value, err = canonical(text); err != nil {
				return nil, err
			}
		}
		var err error
		if b, err = appendCell(b, value); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func canonical(text string) (string, error) {
	var value any
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&value); err != nil {
		return "", err
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return strings.TrimSuffix(out.String(), "\n"), err
}

func appendBytes[T string | []byte](b []byte, v T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(v))), v...)
}

// Count tells the rows of a table: how many, and the sum of their hashes, which does not depend on their order.
type Count struct {
	Rows int64  `json:"rows"`
	Sum  digest `json:"sum"`
}

func (c *Count) add(row []byte) {
	c.Rows++
	hash := sha256.Sum256(row)
	for i := range c.Sum {
		c.Sum[i] += binary.BigEndian.Uint64(hash[i*8:])
	}
}

type digest [4]uint64

// MarshalText writes the sum in hex.
func (d digest) MarshalText() ([]byte, error) {
	var b []byte
	for _, n := range d {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return hex.AppendEncode(nil, b), nil
}

// UnmarshalText reads what MarshalText wrote.
func (d *digest) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	if err != nil || len(b) != 32 {
		return fmt.Errorf("backup: a sum of %d characters", len(text))
	}
	for i := range d {
		d[i] = binary.BigEndian.Uint64(b[i*8:])
	}
	return nil
}

// reader reads records.
type reader struct {
	*bufio.Reader
	close func()
}

// document reads the content of a record of JSON.
func (r *reader) document(into any) error {
	text, err := r.bytes()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

const maxCell = 1 << 30 // bytes; both engines refuse longer ones

func (r *reader) bytes() ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if n > maxCell {
		return nil, fmt.Errorf("backup: a cell of %d bytes", n)
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r, b)
	return b, err
}

// row reads so many cells into values.
func (r *reader) row(values []any) error {
	for i := range values {
		kind, err := r.ReadByte()
		if err != nil {
			return err
		}
		switch kind {
		case isNull:
			values[i] = nil
		case isNumber:
			if values[i], err = binary.ReadVarint(r); err != nil {
				return err
			}
		case isText, isBytes:
			b, err := r.bytes()
			if err != nil {
				return err
			}
			if values[i] = b; kind == isText {
				values[i] = string(b)
			}
		default:
			return fmt.Errorf("backup: a cell of kind %d", kind)
		}
	}
	return nil
}
