package meter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"airstrip/agent/internal/durable"
)

// The file consists of a head and segments of slots. Sizes are multiples of 64 KiB, the largest page size of the
// platforms that Go supports, because each part is mapped separately: growing the file never moves a slot.
const (
	headBytes    = 64 << 10
	segmentSlots = 4096
	segmentBytes = segmentSlots * int64(unsafe.Sizeof(Counter{}))
	magic        = "airstrip-counters-1\n"
)

// Counter is one user's line in the counters file: the bytes ever counted and how many of them are in sealed batches.
// All four values only grow. A line has 64 bytes and so never crosses a disk sector: after a power cut its values are
// from one moment.
type Counter struct {
	user                 int64
	up, down             int64
	sealedUp, sealedDown int64
	_                    [3]int64
}

// Up counts bytes from the user.
func (c *Counter) Up(n int64) { atomic.AddInt64(&c.up, n) }

// Down counts bytes to the user.
func (c *Counter) Down(n int64) { atomic.AddInt64(&c.down, n) }

// Total is all bytes ever counted, in both directions.
func (c *Counter) Total() int64 { return atomic.LoadInt64(&c.up) + atomic.LoadInt64(&c.down) }

// ErrRemoved means that the counters file, or the whole folder, was removed while in use. Bytes are then counted in
// memory only.
var ErrRemoved = errors.New("it was removed while the agent runs")

// counters is the memory-mapped file of all counters. The kernel keeps what a killed process wrote into the mapping;
// sync makes it survive a power cut.
type counters struct {
	mu     sync.Mutex
	file   *os.File // Nil if the disk had no space for it.
	head   []byte
	maps   [][]byte
	byUser map[int64]*Counter
	free   []*Counter
	// volatile is the reason why some counters are in memory only.
	volatile error
	log      *slog.Logger
}

// openCounters maps the file at path and creates it if necessary. A file in an unknown format is set aside and
// replaced. If the disk has no space for a new one, the counters are in memory only, because a node must continue to
// serve.
func openCounters(path string, log *slog.Logger) (*counters, error) {
	c, err := mapCounters(path, log)
	if durable.IsDiskFull(err) {
		log.Error("the disk has no room for the counters file; until the next start bytes are counted in memory "+
			"only and, while nothing can be reported, lost if the agent ends", "err", err)
		return &counters{head: make([]byte, headBytes), byUser: map[int64]*Counter{}, volatile: err, log: log}, nil
	}
	return c, err
}

func mapCounters(path string, log *slog.Logger) (*counters, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		file.Close()
		return nil, err
	}
	if n > 0 && !bytes.HasPrefix(head[:n], []byte(magic)) && !allZero(head[:n]) {
		file.Close()
		aside := fmt.Sprintf("%s.unreadable-%d", path, time.Now().UnixNano())
		if err := os.Rename(path, aside); err != nil {
			return nil, err
		}
		log.Error("the counters file was not readable and has been set aside; what it had counted and not yet "+
			"sealed is not reported", "file", aside)
		return mapCounters(path, log)
	}
	if n < headBytes || !bytes.HasPrefix(head, []byte(magic)) {
		copy(head, magic)
		if _, err := file.WriteAt(head, 0); err != nil {
			file.Close()
			return nil, fmt.Errorf("beginning the counters file: %w", err)
		}
	}
	c := &counters{file: file, byUser: map[int64]*Counter{}, log: log}
	if c.head, err = unix.Mmap(int(file.Fd()), 0, headBytes, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED); err != nil {
		file.Close()
		return nil, fmt.Errorf("mapping the counters file: %w", err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		c.close()
		return nil, err
	}
	for at := int64(headBytes); at+segmentBytes <= size; at += segmentBytes {
		if err := c.mapSegment(at); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

func (c *counters) mapSegment(at int64) error {
	data, err := unix.Mmap(int(c.file.Fd()), at, int(segmentBytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mapping the counters file: %w", err)
	}
	c.maps = append(c.maps, data)
	c.adopt(unsafe.Slice((*Counter)(unsafe.Pointer(&data[0])), segmentSlots))
	return nil
}

func (c *counters) adopt(slots []Counter) {
	for i := range slots {
		slot := &slots[i]
		if slot.user == 0 {
			c.free = append(c.free, slot)
		} else {
			c.byUser[slot.user] = slot
		}
	}
}

// grow adds a segment. Its zeros are written, not left as a hole: a hole for which the disk has no space would kill the
// process on access. Without space the segment is in memory only.
func (c *counters) grow() {
	if c.file == nil {
		c.adopt(make([]Counter, segmentSlots))
		return
	}
	at := headBytes + int64(len(c.maps))*segmentBytes
	_, err := c.file.WriteAt(make([]byte, segmentBytes), at)
	if err == nil {
		err = c.file.Sync()
	}
	if err == nil {
		err = c.mapSegment(at)
	}
	if err != nil {
		c.log.Error("the counters file cannot grow; further users are counted in memory only and lost if the agent "+
			"is killed", "err", err)
		c.volatile = err
		c.adopt(make([]Counter, segmentSlots))
	}
}

// get returns the counter of a user and assigns one if necessary.
func (c *counters) get(user int64) *Counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slot := c.byUser[user]; slot != nil {
		return slot
	}
	if len(c.free) == 0 {
		c.grow()
	}
	slot := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	atomic.StoreInt64(&slot.user, user)
	c.byUser[user] = slot
	return slot
}

// all returns the counters that belong to a user.
func (c *counters) all() []*Counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*Counter, 0, len(c.byUser))
	for _, slot := range c.byUser {
		list = append(list, slot)
	}
	return list
}

// release frees the counters of users for whom keep is false, if everything they counted is sealed.
func (c *counters) release(keep func(user int64) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for user, slot := range c.byUser {
		if keep(user) || slot.up != slot.sealedUp || slot.down != slot.sealedDown {
			continue
		}
		*slot = Counter{}
		delete(c.byUser, user)
		c.free = append(c.free, slot)
	}
}

// sealedAt returns when the last batch was sealed, or zero if none was. The next batch begins there.
func (c *counters) sealedAt() time.Time {
	if ns := atomic.LoadInt64((*int64)(unsafe.Pointer(&c.head[32]))); ns != 0 {
		return time.Unix(0, ns).UTC()
	}
	return time.Time{}
}

func (c *counters) setSealedAt(t time.Time) {
	atomic.StoreInt64((*int64)(unsafe.Pointer(&c.head[32])), t.UnixNano())
}

// volatileReason returns why counted bytes would not survive the process, or nil if they would.
func (c *counters) volatileReason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.volatile != nil {
		return fmt.Errorf("bytes are counted in memory only, for want of room: %w", c.volatile)
	}
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	if info.Sys().(*syscall.Stat_t).Nlink == 0 {
		return fmt.Errorf("%s: %w", c.file.Name(), ErrRemoved)
	}
	return nil
}

// sync writes everything counted so far to the disk.
func (c *counters) sync() error {
	if c.file == nil {
		return nil
	}
	c.mu.Lock()
	maps := append([][]byte{c.head}, c.maps...)
	c.mu.Unlock()
	for _, m := range maps {
		if err := unix.Msync(m, unix.MS_SYNC); err != nil {
			return fmt.Errorf("syncing the counters file: %w", err)
		}
	}
	return nil
}

// close leaves the mappings to the end of the process, because connections may still count into them.
func (c *counters) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}
