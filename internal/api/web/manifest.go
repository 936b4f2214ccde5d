package web

import (
	"encoding/json"
	"net/http"

	"airstrip/internal/fault"
)

// ManifestPath is where browsers read how the site is installed as an app.
const ManifestPath = "/manifest.webmanifest"

type manifest struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	ShortName       string `json:"short_name"`
	Lang            string `json:"lang"`
	StartURL        string `json:"start_url"`
	Scope           string `json:"scope"`
	Display         string `json:"display"`
	BackgroundColor string `json:"background_color"`
	ThemeColor      string `json:"theme_color"`
	Icons           []Icon `json:"icons"`
}

// Icon is an icon of the site in the manifest.
type Icon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

// builtinIcons are for sites that have none of their own.
var builtinIcons = []Icon{
	{Src: "/icon-192.png", Sizes: "192x192", Type: "image/png"},
	{Src: "/icon-512.png", Sizes: "512x512", Type: "image/png"},
	{Src: "/icon-maskable-512.png", Sizes: "512x512", Type: "image/png", Purpose: "maskable"},
}

// Manifest writes the manifest of the site, with its name as the operator set it. own is the site's own icon; nil: it
// has none.
func Manifest(w http.ResponseWriter, name string, lang fault.Lang, own *Icon) {
	icons := builtinIcons
	if own != nil {
		icons = []Icon{*own}
	}
	body, err := json.Marshal(manifest{
		ID: "/", Name: name, ShortName: name, Lang: string(lang), StartURL: "/user/dashboard", Scope: "/",
		Display: "standalone", BackgroundColor: "#f7f8fa", ThemeColor: "#f7f8fa",
		Icons: icons,
	})
	if err != nil {
		panic(err) // only for values that JSON does not know
	}
	w.Header().Set("Content-Type", "application/manifest+json")
	w.Header().Set("Cache-Control", "no-cache")
	w.Write(body)
}
