package xray

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/xtls/xray-core/infra/conf"

	"airstrip/agent/internal/api"
)

// object is a piece of xray's JSON configuration.
type object = map[string]any

// streamConfig describes the transport and its security in xray's configuration.
func streamConfig(node api.Node) (*conf.StreamConfig, error) {
	s := node.Settings
	transport, security := cmp.Or(s.Transport, "tcp"), cmp.Or(s.Security, "none")
	if node.Protocol == "hysteria2" {
		transport, security = "hysteria", "tls"
	}
	settings := object{"network": transport, "security": security}
	switch transport {
	case "tcp":
	case "hysteria":
		mask, err := hysteriaMask(s)
		if err != nil {
			return nil, err
		}
		settings["hysteriaSettings"], settings["finalmask"] = object{"version": 2}, mask
	case "ws":
		// The Host header is not checked: behind a CDN it differs from what the client was given.
		settings["wsSettings"] = object{"path": s.Path}
	case "httpupgrade":
		settings["httpupgradeSettings"] = object{"path": s.Path}
	case "grpc":
		settings["grpcSettings"] = object{"serviceName": s.ServiceName}
	case "xhttp":
		// Every mode is served, whichever one links name, so that changing it cuts off nobody.
		settings["xhttpSettings"] = object{"path": s.Path}
	default:
		return nil, fmt.Errorf("settings of the node: unknown transport %q", s.Transport)
	}
	switch security {
	case "none":
	case "tls":
		if s.TLS.Certificate == "" || s.TLS.Key == "" {
			return nil, errors.New("settings of the node: tls needs a certificate and its key")
		}
		settings["tlsSettings"] = tlsSettings(node)
	case "reality":
		settings["realitySettings"] = object{
			"target": s.Reality.Dest, "serverNames": s.Reality.ServerNames,
			"privateKey": s.Reality.PrivateKey, "shortIds": s.Reality.ShortIDs,
		}
		// No proxy that ends REALITY can be in front of the node, so a request that names another client address is
		// forged. xray trusts only requests with this header; as nobody can guess its name, it trusts none.
		settings["sockopt"] = object{"trustedXForwardedFor": []string{rand.Text()}}
	default:
		return nil, fmt.Errorf("settings of the node: unknown security %q", s.Security)
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	stream := new(conf.StreamConfig)
	if err := json.Unmarshal(text, stream); err != nil {
		return nil, fmt.Errorf("settings of the node: %w", err)
	}
	return stream, nil
}

func tlsSettings(node api.Node) object {
	t := node.Settings.TLS
	certificate := object{"certificate": strings.Split(t.Certificate, "\n"), "key": strings.Split(t.Key, "\n")}
	settings := object{"serverName": t.ServerName, "certificates": []object{certificate}}
	if len(t.ALPN) > 0 {
		settings["alpn"] = t.ALPN
	} else if node.Protocol == "hysteria2" {
		settings["alpn"] = []string{"h3"}
	}
	return settings
}

// hysteriaMask describes what Hysteria2 needs from QUIC.
func hysteriaMask(s api.Settings) (object, error) {
	mask := object{}
	if s.UpMbps > 0 || s.DownMbps > 0 {
		mask["quicParams"] = object{"brutalUp": mbps(s.UpMbps), "brutalDown": mbps(s.DownMbps)}
	}
	switch {
	case s.Obfs == "":
	case s.Obfs != "salamander":
		return nil, fmt.Errorf("settings of the node: unknown obfs %q", s.Obfs)
	case s.ObfsPassword == "":
		return nil, errors.New("settings of the node: obfs salamander needs obfs_password")
	default:
		mask["udp"] = []object{{"type": "salamander", "settings": object{"password": s.ObfsPassword}}}
	}
	return mask, nil
}

func mbps(n int) string { return fmt.Sprintf("%d mbps", n) }
