package web

import (
	"fmt"
	"net/http"
	"time"
)

// SecurityTxtPath is where researchers look for a security contact (RFC 9116).
const SecurityTxtPath = "/.well-known/security.txt"

// securityTxtAge is how long the file is valid. RFC 9116 recommends less than a year.
const securityTxtAge = 180 * 24 * time.Hour

// SecurityTxt writes the security.txt of RFC 9116 with contact, a URI, or 404 without one. site is the address of the
// site without a trailing slash.
func SecurityTxt(w http.ResponseWriter, r *http.Request, contact, site string, now time.Time) {
	if contact == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=86400")
	expires := now.UTC().Truncate(24 * time.Hour).Add(securityTxtAge)
	fmt.Fprintf(w, "Contact: %s\nExpires: %s\nPreferred-Languages: zh, en\nCanonical: %s%s\n",
		contact, expires.Format(time.RFC3339), site, SecurityTxtPath)
}
