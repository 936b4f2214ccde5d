// Package geo tells the area of an address from a database in the MMDB format, without asking anybody.
package geo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"sync"

	"github.com/oschwald/maxminddb-golang/v2"
)

// Unknown is the area of an address that is in no database: a private one, a new one, any where there is no database.
const Unknown = "ZZ"

// Put there by the build; .gitkeep lets the program be built without it. See data.LICENSE.
//
//go:embed all:data
var built embed.FS

// builtData reads the database of the build, 8 MB, once for all that open it.
var builtData = sync.OnceValues(func() ([]byte, error) { return built.ReadFile("data/country.mmdb") })

// Areas knows the areas of addresses. The nil Areas knows none.
type Areas struct{ reader *maxminddb.Reader }

// Open reads the operator's file, or where path is empty the database that the build put into the program, if it did.
func Open(path string) (*Areas, error) {
	data, err := os.ReadFile(path)
	if path == "" {
		if data, err = builtData(); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	reader, err := maxminddb.OpenBytes(data)
	if err != nil {
		return nil, fmt.Errorf("%s is no MMDB file: %w", path, err)
	}
	return &Areas{reader}, nil
}

// Of returns the area of ip as a code of ISO 3166-1, or Unknown. It reads databases of countries and of cities in the
// layouts of MaxMind and of ip-location-db.
func (a *Areas) Of(ip netip.Addr) string {
	if a == nil || !ip.IsValid() {
		return Unknown
	}
	var found struct {
		Code    string `maxminddb:"country_code"`
		Country struct {
			Code string `maxminddb:"iso_code"`
		} `maxminddb:"country"`
	}
	if err := a.reader.Lookup(ip.Unmap().WithZone("")).Decode(&found); err != nil {
		return Unknown
	}
	for _, code := range []string{found.Code, found.Country.Code} {
		if len(code) == 2 {
			return code
		}
	}
	return Unknown
}
