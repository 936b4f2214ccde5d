package attachment

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/google/uuid"

	"airstrip/internal/setting"
)

// Try keeps a file where new ones go, reads it and removes it.
func (s *Store) Try(ctx context.Context, t *setting.Trial) {
	place, name, content := s.Place(), uuid.New(), []byte("test")
	t.Do("写入文件", "Write a file", func() error { return s.Put(ctx, place, name, content) })
	t.Do("读取文件", "Read it", func() error {
		f, err := s.Open(ctx, place, name)
		if err != nil {
			return err
		}
		defer f.Close()
		read, err := io.ReadAll(f)
		if err == nil && !bytes.Equal(read, content) {
			err = errors.New("it holds something else than was written")
		}
		return err
	})
	t.Do("删除文件", "Remove it", func() error { return s.Remove(ctx, place, name) })
}
