package geo_test

import (
	"encoding/binary"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"airstrip/internal/geo"
)

func TestTheAreaOfAnAddressIsThatOfItsNetwork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "areas.mmdb")
	write(t, path, map[string]any{
		"192.0.2.0/24":    map[string]any{"country_code": "JP"},
		"198.51.100.0/25": map[string]any{"country": map[string]any{"iso_code": "DE"}},
		"2001:db8::/32":   map[string]any{"country_code": "SG"},
		"203.0.113.0/24":  map[string]any{"registered": "somewhere"},
	})
	areas, err := geo.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for ip, want := range map[string]string{
		"192.0.2.1": "JP", "::ffff:192.0.2.1": "JP", "198.51.100.1": "DE", "198.51.100.200": geo.Unknown,
		"2001:db8:1::1%eth0": "SG",
		"203.0.113.1":        geo.Unknown, "10.0.0.1": geo.Unknown, "2001:db9::": geo.Unknown,
	} {
		if got := areas.Of(netip.MustParseAddr(ip)); got != want {
			t.Errorf("%s: %s, want %s", ip, got, want)
		}
	}
	if got := areas.Of(netip.Addr{}); got != geo.Unknown {
		t.Errorf("no address: %s", got)
	}
}

func TestWithoutADatabaseEveryAreaIsUnknown(t *testing.T) {
	var none *geo.Areas
	if got := none.Of(netip.MustParseAddr("192.0.2.1")); got != geo.Unknown {
		t.Error(got)
	}
}

func TestAFileThatIsNoDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "areas.mmdb")
	if _, err := geo.Open(path); err == nil {
		t.Error("a file that is not there was opened")
	}
	if err := os.WriteFile(path, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := geo.Open(path); err == nil {
		t.Error("a text file was opened")
	}
}

// write makes an MMDB file: a binary tree of address bits with 24-bit records, then the values that its leaves name
// (https://maxmind.github.io/MaxMind-DB/).
func write(t *testing.T, path string, networks map[string]any) {
	t.Helper()
	const unset = -1
	tree := [][2]int{{unset, unset}}
	var data []byte
	leaves := map[[2]int]int{} // node and side to the place in data
	for _, network := range slices.Sorted(maps.Keys(networks)) {
		prefix := netip.MustParsePrefix(network)
		bits, length := prefix.Addr().As16(), prefix.Bits()
		if prefix.Addr().Is4() {
			bits, length = [16]byte{}, length+96
			v4 := prefix.Addr().As4()
			copy(bits[12:], v4[:])
		}
		node := 0
		for i := range length {
			side := int(bits[i/8]>>(7-i%8)) & 1
			if i == length-1 {
				leaves[[2]int{node, side}] = len(data)
				break
			}
			if tree[node][side] == unset {
				tree = append(tree, [2]int{unset, unset})
				tree[node][side] = len(tree) - 1
			}
			node = tree[node][side]
		}
		data = append(data, encode(networks[network])...)
	}
	var out []byte
	for i, node := range tree {
		for side, next := range node {
			if next == unset {
				next = len(tree)
			}
			if at, ok := leaves[[2]int{i, side}]; ok {
				next = len(tree) + 16 + at
			}
			out = append(out, byte(next>>16), byte(next>>8), byte(next))
		}
	}
	out = append(append(out, make([]byte, 16)...), data...)
	out = append(append(out, "\xab\xcd\xefMaxMind.com"...), encode(map[string]any{
		"binary_format_major_version": uint16(2), "binary_format_minor_version": uint16(0), "build_epoch": uint32(1),
		"database_type": "test", "ip_version": uint16(6), "node_count": uint32(len(tree)), "record_size": uint16(24),
	})...)
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
}

func encode(v any) []byte {
	switch v := v.(type) {
	case string:
		return append([]byte{2<<5 | byte(len(v))}, v...)
	case uint16:
		return binary.BigEndian.AppendUint16([]byte{5<<5 | 2}, v)
	case uint32:
		return binary.BigEndian.AppendUint32([]byte{6<<5 | 4}, v)
	case map[string]any:
		out := []byte{7<<5 | byte(len(v))}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(append(out, encode(key)...), encode(v[key])...)
		}
		return out
	}
	panic("no such type")
}
