package format

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"airstrip/internal/node"
)

// uriList writes one share link per line, encoded in standard base64 unless plain text is requested.
func uriList(c content) []byte {
	var b strings.Builder
	if c.Status != "" && c.Client.Status {
		b.WriteString("STATUS=" + clean(c.Status) + "\n")
	}
	for i := range c.entries {
		b.WriteString(uri(&c.entries[i], c.Client.Dialect))
		b.WriteByte('\n')
	}
	if c.Client.Plain || c.NodesOnly {
		return []byte(b.String())
	}
	return base64List(b.String())
}

// base64List encodes a list as most clients read it: in standard base64 on one line.
func base64List(list string) []byte {
	out := make([]byte, base64.StdEncoding.EncodedLen(len(list)))
	base64.StdEncoding.Encode(out, []byte(list))
	return out
}

func uri(p *Proxy, d Dialect) string {
	switch p.Protocol {
	case node.Shadowsocks:
		return ssURI(p, d)
	case node.VMess:
		return vmessURI(p)
	case node.VLESS:
		return "vless://" + p.UUID + "@" + p.hostPort() + "?" + p.query(param{"encryption", "none"}) + "#" +
			escape(p.Name)
	case node.Trojan:
		return "trojan://" + escape(p.Password) + "@" + p.hostPort() + "?" + p.query() + "#" + escape(p.Name)
	case node.TUIC:
		params := []param{
			{"congestion_control", p.Congestion},
			{"udp_relay_mode", "native"},
			{"alpn", strings.Join(p.ALPN, ",")},
			{"sni", p.ServerName},
		}
		return "tuic://" + p.UUID + ":" + escape(p.Password) + "@" + p.hostPort() + "?" + encode(params) + "#" +
			escape(p.Name)
	case node.AnyTLS:
		params := []param{
			{"sni", p.ServerName},
			{"insecure", "0"},
			{"alpn", strings.Join(p.ALPN, ",")},
			{"fp", "chrome"},
		}
		return "anytls://" + escape(p.Password) + "@" + p.hostPort() + "/?" + encode(params) + "#" + escape(p.Name)
	default:
		return hysteria2URI(p)
	}
}

// ssURI follows SIP002. Its encoding of the 2022 ciphers, percent-encoding instead of base64, breaks clients in use, so
// only the type SIP002 gets it.
func ssURI(p *Proxy, d Dialect) string {
	who := base64.RawURLEncoding.EncodeToString([]byte(p.Method + ":" + p.Password))
	if d == SIP002URI && strings.HasPrefix(p.Method, "2022-") {
		who = p.Method + ":" + escape(p.Password)
	}
	return "ss://" + who + "@" + p.hostPort() + "#" + escape(p.Name)
}

// vmessURI returns v2rayN's form, version 2: JSON in base64 with numbers as strings.
func vmessURI(p *Proxy) string {
	link := struct {
		V        string `json:"v"`
		Name     string `json:"ps"`
		Address  string `json:"add"`
		Port     string `json:"port"`
		ID       string `json:"id"`
		AlterID  string `json:"aid"`
		Cipher   string `json:"scy"`
		Net      string `json:"net"`
		Type     string `json:"type"`
		Host     string `json:"host"`
		Path     string `json:"path"`
		TLS      string `json:"tls"`
		SNI      string `json:"sni"`
		ALPN     string `json:"alpn"`
		FP       string `json:"fp"`
		Insecure string `json:"insecure,omitempty"`
		Pin      string `json:"pcs,omitempty"`
		Verify   string `json:"vcn,omitempty"`
	}{
		V: "2", Name: p.Name, Address: p.Address, Port: strconv.Itoa(p.Port), ID: p.UUID, AlterID: "0",
		Cipher: vmessCipher,
		Net:    p.Transport, Type: "none", Host: p.Host, Path: p.xrayPath(), Pin: p.Pin,
	}
	if p.Transport == "grpc" {
		link.Type, link.Path, link.Host = "gun", p.ServiceName, ""
	}
	if p.Security != "none" {
		link.TLS, link.SNI, link.ALPN, link.FP = "tls", p.ServerName, strings.Join(p.ALPN, ","), "chrome"
	}
	if p.Pin != "" {
		link.Insecure, link.Verify = "1", p.ServerName
	}
	text, err := json.Marshal(link)
	if err != nil {
		panic(err) // A struct of strings can always be encoded.
	}
	return "vmess://" + base64.StdEncoding.EncodeToString(text)
}

func hysteria2URI(p *Proxy) string {
	params := []param{
		{"sni", p.ServerName},
		{"alpn", strings.Join(p.ALPN, ",")},
		{"obfs", p.Obfs},
		{"obfs-password", p.ObfsPassword},
	}
	if p.Pin != "" { // Clients check the chain before the pin, and the node's own certificate has none.
		params = append(params, param{"insecure", "1"}, param{"pinSHA256", p.Pin})
	} else {
		params = append(params, param{"insecure", "0"})
	}
	return "hysteria2://" + escape(p.Password) + "@" + p.hostPort() + "/?" + encode(params) + "#" + escape(p.Name)
}

type param struct{ name, value string }

// query returns the parameters that VLESS and Trojan links share.
func (p *Proxy) query(first ...param) string {
	params := append(first, param{"type", p.Transport}, param{"security", p.Security}, param{"flow", p.Flow},
		param{"sni", p.ServerName})
	switch p.Security {
	case "none":
	case "pinned":
		params[len(params)-3].value = "tls"
		params = append(params, param{"fp", "chrome"}, param{"alpn", strings.Join(p.ALPN, ",")},
			param{"insecure", "1"}, param{"pcs", p.Pin}, param{"vcn", p.ServerName})
	case "reality":
		params = append(params, param{"fp", "chrome"}, param{"pbk", p.PublicKey}, param{"sid", p.ShortID})
	default:
		params = append(params, param{"fp", "chrome"}, param{"alpn", strings.Join(p.ALPN, ",")})
	}
	switch p.Transport {
	case "ws", "httpupgrade":
		params = append(params, param{"host", p.Host}, param{"path", p.xrayPath()})
	case "xhttp":
		params = append(params, param{"host", p.Host}, param{"path", p.Path}, param{"mode", p.Mode})
	case "grpc":
		params = append(params, param{"serviceName", p.ServiceName}, param{"mode", "gun"})
	}
	return encode(params)
}

// encode writes the parameters that have a value, in order.
func encode(params []param) string {
	var b strings.Builder
	for _, p := range params {
		if p.value == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.name + "=" + escape(p.value))
	}
	return b.String()
}

// escape is JavaScript's encodeURIComponent, which clients decode: a space is %20, never +.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
