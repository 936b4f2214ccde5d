package cache_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airstrip/internal/cache"
)

func TestCache_HoldsWhatWasSetUntilItIsDeleted(t *testing.T) {
	c := cache.New[int64, string](cache.Options[string]{MaxEntries: 10})
	if _, found := c.Get(1); found {
		t.Error("an empty cache has a value")
	}
	c.Set(1, "a")
	c.Set(1, "b")
	if v, found := c.Get(1); v != "b" || !found {
		t.Errorf("the value is %q, %v; want the one set last", v, found)
	}
	c.Delete(1)
	if _, found := c.Get(1); found {
		t.Error("a deleted value is found")
	}
}

func TestGetOrSet_MakesAValueOnceForAllCallers(t *testing.T) {
	c := cache.New[string, *int](cache.Options[*int]{MaxEntries: 10})
	var made atomic.Int32
	got := make([]*int, 20)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			got[i] = c.GetOrSet("k", func() *int {
				made.Add(1)
				return new(i)
			})
		})
	}
	wg.Wait()
	for _, v := range got {
		if v != got[0] {
			t.Fatal("callers got different values")
		}
	}
	if made.Load() != 1 {
		t.Errorf("the value was made %d times", made.Load())
	}
}

func TestCache_IsBounded(t *testing.T) {
	for name, o := range map[string]cache.Options[string]{
		"by number": {MaxEntries: 100},
		"by weight": {MaxWeight: 1000, Weight: func(string) uint32 { return 10 }},
	} {
		t.Run(name, func(t *testing.T) {
			c := cache.New[string](o)
			for i := range 10_000 {
				c.Set(fmt.Sprint(i), "v")
			}
			left := func() (n int) {
				for i := range 10_000 {
					if _, found := c.Get(fmt.Sprint(i)); found {
						n++
					}
				}
				return n
			}
			for left() > 100 { // otter evicts in the background
				runtime.Gosched()
			}
			if left() == 0 {
				t.Error("nothing is left")
			}
		})
	}
}

func TestCache_ForgetsAfterItsTime(t *testing.T) {
	const period = 20 * time.Millisecond
	for name, o := range map[string]cache.Options[string]{
		"after it was set":  {AfterSet: period},
		"after it was used": {AfterUse: period},
	} {
		t.Run(name, func(t *testing.T) {
			c := cache.New[string](o)
			c.Set("k", "v")
			for found := true; found; _, found = c.Get("k") {
				time.Sleep(2 * period)
			}
		})
	}
}
