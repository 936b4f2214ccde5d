package format

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// ssrList writes notices as ShadowsocksR links, with a cipher that its clients support. They can use nothing else.
func ssrList(c content) []byte {
	b64 := base64.RawURLEncoding.EncodeToString
	var b strings.Builder
	for i := range c.entries {
		p := &c.entries[i]
		text := strings.Join([]string{p.Address, p.port(), "origin", "aes-256-cfb", "plain", b64([]byte(p.Password))},
			":") +
			"/?obfsparam=&protoparam=&remarks=" + b64([]byte(p.Name)) + "&group=" + b64([]byte(c.Title))
		b.WriteString("ssr://" + b64([]byte(text)) + "\n")
	}
	if c.NodesOnly {
		return []byte(b.String())
	}
	return base64List(b.String())
}

type ssdServer struct {
	ID         int    `json:"id"`
	Server     string `json:"server"`
	Port       int    `json:"port"`
	Encryption string `json:"encryption"`
	Password   string `json:"password"`
	Remarks    string `json:"remarks"`
}

// ssd writes the link that ShadowsocksD reads: all servers, and the remaining traffic in gigabytes.
func ssd(c content) []byte {
	file := struct {
		Airport      string      `json:"airport"`
		Port         int         `json:"port"` // Defaults for servers without these fields; all of ours have them.
		Encryption   string      `json:"encryption"`
		Password     string      `json:"password"`
		TrafficUsed  float64     `json:"traffic_used"`
		TrafficTotal float64     `json:"traffic_total,omitempty"`
		Expiry       string      `json:"expiry,omitempty"`
		Servers      []ssdServer `json:"servers"`
	}{
		Airport: c.Title, Port: 1, Encryption: "aes-128-gcm", Password: "none",
		TrafficUsed: gigabytes(c.Usage.Used), TrafficTotal: gigabytes(c.Usage.Total), Expiry: c.Usage.Expires,
	}
	for i := range c.entries {
		p := &c.entries[i]
		file.Servers = append(file.Servers, ssdServer{i, p.Address, p.Port, p.Method, p.Password, p.Name})
	}
	text, err := json.Marshal(file)
	if err != nil {
		panic(err) // These types can always be encoded.
	}
	return []byte("ssd://" + base64.StdEncoding.EncodeToString(text))
}

// gigabytes rounds for display.
func gigabytes(bytes int64) float64 { return float64(bytes*100>>30) / 100 }
