// Package web carries the built web app inside the binary. The folder dist is made by `npm run build`; without it the
// server builds and runs all the same and says that it has no pages.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Dist is the built app: index.html, assets/, builds/latest.json.
func Dist() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is constant
	}
	return sub
}
