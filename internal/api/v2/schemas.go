package v2

import (
	"encoding/json"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/money"
)

// schemas are those of all types that routers of this process have registered. They depend on nothing but the types,
// and to make them is most of the work of making a router, so all routers share them.
var schemas = newSchemaRegistry()

// schemaRegistry is a registry for several goroutines: huma reads it at each request and writes at each registration.
type schemaRegistry struct {
	mu sync.RWMutex
	huma.Registry
}

func newSchemaRegistry() *schemaRegistry {
	registry := huma.DefaultConfig("", "").Components.Schemas
	registry.RegisterTypeAlias(reflect.TypeFor[money.Amount](), reflect.TypeFor[amountSchema]())
	return &schemaRegistry{Registry: registry}
}

func (r *schemaRegistry) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Registry.Schema(t, allowRef, hint)
}

func (r *schemaRegistry) SchemaFromRef(ref string) *huma.Schema {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Registry.SchemaFromRef(ref)
}

func (r *schemaRegistry) TypeFromRef(ref string) reflect.Type {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Registry.TypeFromRef(ref)
}

// MarshalJSON returns the schemas by their names.
func (r *schemaRegistry) MarshalJSON() ([]byte, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return json.Marshal(r.Registry)
}
