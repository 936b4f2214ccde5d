package v2

import (
	"context"
	"io"

	"github.com/parquet-go/parquet-go"

	"airstrip/internal/account"
)

// Records writes the records of a file in parts: it calls write with each part and ends with what write answers.
type Records[T any] func(write func(part []T) error) error

// parquetGroup is how many records are in memory before they are sent.
const parquetGroup = 10_000

// HandleParquetStream registers an operation whose answer is an Apache Parquet file with a column for each field of T.
// It is sent and fails as that of HandleCSVStream does; it is whole once its last bytes, which say where the columns
// are, have come.
func HandleParquetStream[I, T any](
	r *Router, o Op, fn func(ctx context.Context, who account.Identity, in *I) (Records[T], error),
) {
	format := fileFormat{"parquet", "application/vnd.apache.parquet", "", "binary"}
	handleStream(r, o, format, fn, func(w io.Writer, records Records[T]) error {
		out := parquet.NewGenericWriter[T](w, parquet.MaxRowsPerRowGroup(parquetGroup),
			parquet.Compression(&parquet.Snappy))
		err := records(func(part []T) error {
			_, err := out.Write(part)
			return err
		})
		if err != nil {
			return err
		}
		return out.Close()
	})
}
