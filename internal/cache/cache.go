// Package cache holds a bounded number of values in memory. It is the cache of package otter, compiled once: that is
// generic, and every package which holds one, or imports a package that does, would compile it again for its own types.
package cache

import "time"

// Options bound a cache. What is used least goes first.
type Options[V any] struct {
	MaxEntries int            // greatest number of values; 0 for no bound
	MaxWeight  uint64         // greatest sum of Weight; 0 for no bound
	Weight     func(V) uint32 // of one value, where MaxWeight is set
	// A value is forgotten so long after it was set, or after it was last used. At most one of both is set.
	AfterSet, AfterUse time.Duration
}

// Cache holds values by their keys. Several goroutines may use it at once.
type Cache[K comparable, V any] struct{ store *store }

// New returns an empty cache.
func New[K comparable, V any](o Options[V]) *Cache[K, V] {
	untyped := Options[any]{
		MaxEntries: o.MaxEntries, MaxWeight: o.MaxWeight, AfterSet: o.AfterSet, AfterUse: o.AfterUse,
	}
	if o.Weight != nil {
		untyped.Weight = func(value any) uint32 { return o.Weight(value.(V)) }
	}
	return &Cache[K, V]{newStore(untyped)}
}

// Get returns the value of a key, if there is one.
func (c *Cache[K, V]) Get(key K) (value V, found bool) {
	v, found := c.store.get(key)
	if found {
		value = v.(V)
	}
	return value, found
}

// Set stores the value of a key.
func (c *Cache[K, V]) Set(key K, value V) { c.store.set(key, value) }

// GetOrSet returns the value of a key. Where there is none it stores what fresh returns, once for all callers.
func (c *Cache[K, V]) GetOrSet(key K, fresh func() V) V {
	return c.store.getOrSet(key, func() (any, bool) { return fresh(), false }).(V)
}

// Delete forgets the value of a key.
func (c *Cache[K, V]) Delete(key K) { c.store.remove(key) }
