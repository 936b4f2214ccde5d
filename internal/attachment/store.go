package attachment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// Place is where a file is kept.
type Place string

// The places. New files go to the bucket where the settings name one.
const (
	Folder Place = "folder"
	Bucket Place = "s3"
)

// StoreWithin is how long it takes at most to keep a file, or to remove it.
const StoreWithin = time.Minute

// ErrGone is the error of a file that is not in its place.
var ErrGone = errors.New("attachment: the file is not there")

// Store keeps files under names that it does not choose. It knows nothing of whose they are.
type Store struct {
	folder   string
	settings *setting.Settings
	secrets  *secret.Secrets

	mu     sync.Mutex
	opened bucket
	client *minio.Client
}

// bucket says which client is needed.
type bucket struct{ url, region, accessKey, secretKey string }

// NewStore gives the store whose folder is below dir.
func NewStore(dir string, settings *setting.Settings, secrets *secret.Secrets) *Store {
	return &Store{folder: filepath.Join(dir, "attachments"), settings: settings, secrets: secrets}
}

// Place is where a file goes that is kept now.
func (s *Store) Place() Place {
	if s.settings.Get().AttachmentS3Bucket != "" {
		return Bucket
	}
	return Folder
}

// Put keeps data under name. When it returns the file is on disk, or the bucket has confirmed it.
func (s *Store) Put(ctx context.Context, in Place, name uuid.UUID, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, StoreWithin)
	defer cancel()
	if in == Folder {
		return s.write(name, data)
	}
	client, bucket, err := s.bucket(ctx)
	if err != nil {
		return err
	}
	_, err = client.PutObject(ctx, bucket, name.String(), bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true})
	return err
}

// write writes a whole file or none.
func (s *Store) write(name uuid.UUID, data []byte) error {
	path := s.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	unfinished := path + ".part"
	f, err := os.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(unfinished, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(unfinished))
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Open opens a file: ErrGone where it is not there. Close it when done.
func (s *Store) Open(ctx context.Context, in Place, name uuid.UUID) (io.ReadCloser, error) {
	if in == Folder {
		f, err := os.Open(s.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s", ErrGone, s.path(name))
		}
		return f, err
	}
	client, bucket, err := s.bucket(ctx)
	if err != nil {
		return nil, err
	}
	object, err := client.GetObject(ctx, bucket, name.String(), minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	if _, err := object.Stat(); err != nil { // the first request
		object.Close()
		if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
			err = fmt.Errorf("%w: %s of the bucket %s", ErrGone, name, bucket)
		}
		return nil, err
	}
	return object, nil
}

// Remove removes a file, also where it is not there.
func (s *Store) Remove(ctx context.Context, in Place, name uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, StoreWithin)
	defer cancel()
	if in == Folder {
		for _, path := range []string{s.path(name), s.path(name) + ".part"} {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	client, bucket, err := s.bucket(ctx)
	if err != nil {
		return err
	}
	return client.RemoveObject(ctx, bucket, name.String(), minio.RemoveObjectOptions{})
}

// path spreads the files over folders, so that none has very many.
func (s *Store) path(name uuid.UUID) string {
	return filepath.Join(s.folder, name.String()[:2], name.String())
}

// bucket gives a client for the bucket of the settings, and its name. The client is kept until they change.
func (s *Store) bucket(ctx context.Context) (*minio.Client, string, error) {
	site := s.settings.Get()
	key, err := s.secrets.Get(ctx, secret.AttachmentS3Key)
	if err != nil {
		return nil, "", err
	}
	if site.AttachmentS3Bucket == "" {
		return nil, "", errors.New("attachment: the settings name no bucket any more, and files are kept in one")
	}
	wanted := bucket{site.AttachmentS3URL, site.AttachmentS3Region, site.AttachmentS3AccessKey, key}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil && s.opened == wanted {
		return s.client, site.AttachmentS3Bucket, nil
	}
	at, err := url.Parse(wanted.url)
	if err != nil {
		return nil, "", err
	}
	client, err := minio.New(at.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(wanted.accessKey, wanted.secretKey, ""),
		Secure: at.Scheme == "https", Region: wanted.region,
	})
	if err != nil {
		return nil, "", err
	}
	s.client, s.opened = client, wanted
	return client, site.AttachmentS3Bucket, nil
}
