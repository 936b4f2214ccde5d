package cache

import "github.com/maypok86/otter/v2"

// store is otter's cache as functions. No type of otter's is in it: a package that read of one would compile otter.
type store struct {
	get      func(key any) (any, bool)
	set      func(key, value any)
	getOrSet func(key any, fresh func() (value any, cancel bool)) any
	remove   func(key any)
}

//go:noinline
func newStore(o Options[any]) *store {
	options := &otter.Options[any, any]{MaximumSize: o.MaxEntries, MaximumWeight: o.MaxWeight}
	if o.Weight != nil {
		options.Weigher = func(_, value any) uint32 { return o.Weight(value) }
	}
	switch {
	case o.AfterSet > 0:
		options.ExpiryCalculator = otter.ExpiryWriting[any, any](o.AfterSet)
	case o.AfterUse > 0:
		options.ExpiryCalculator = otter.ExpiryAccessing[any, any](o.AfterUse)
	}
	c := otter.Must(options)
	return &store{
		get: c.GetIfPresent,
		set: func(key, value any) { c.Set(key, value) },
		getOrSet: func(key any, fresh func() (any, bool)) any {
			value, _ := c.ComputeIfAbsent(key, fresh)
			return value
		},
		remove: func(key any) { c.Invalidate(key) },
	}
}
