package xray

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/xtls/xray-core/app/proxyman"
	"github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/protocol"
	"github.com/xtls/xray-core/common/serial"
	"github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/proxy/hysteria"
	hysteriaaccount "github.com/xtls/xray-core/proxy/hysteria/account"
	"github.com/xtls/xray-core/proxy/shadowsocks"
	"github.com/xtls/xray-core/proxy/shadowsocks_2022"
	"github.com/xtls/xray-core/proxy/trojan"
	"github.com/xtls/xray-core/proxy/vless"
	vlessinbound "github.com/xtls/xray-core/proxy/vless/inbound"
	"github.com/xtls/xray-core/proxy/vmess"
	vmessinbound "github.com/xtls/xray-core/proxy/vmess/inbound"
	"google.golang.org/protobuf/proto"

	"airstrip/agent/internal/api"
)

// inboundConfig describes the listener of a node with its first users.
func inboundConfig(node api.Node, users []*protocol.User) (*core.InboundHandlerConfig, error) {
	proxy, err := proxyConfig(node, users)
	if err != nil {
		return nil, err
	}
	stream, err := streamConfig(node)
	if err != nil {
		return nil, err
	}
	built, err := stream.Build()
	if err != nil {
		return nil, fmt.Errorf("settings of the node: %w", err)
	}
	if node.Port < 1 || node.Port > 65535 {
		return nil, fmt.Errorf("settings of the node: %d is not a port", node.Port)
	}
	receiver := &proxyman.ReceiverConfig{
		PortList:       &net.PortList{Range: []*net.PortRange{net.SinglePortRange(net.Port(node.Port))}},
		StreamSettings: built,
	}
	if node.Listen != "" {
		address := net.ParseAddress(node.Listen)
		if !address.Family().IsIP() {
			return nil, fmt.Errorf("settings of the node: listen %q is not an IP address", node.Listen)
		}
		receiver.Listen = net.NewIPOrDomain(address)
	}
	return &core.InboundHandlerConfig{
		Tag: tag, ReceiverSettings: serial.ToTypedMessage(receiver), ProxySettings: serial.ToTypedMessage(proxy),
	}, nil
}

func proxyConfig(node api.Node, users []*protocol.User) (proto.Message, error) {
	both := []net.Network{net.Network_TCP, net.Network_UDP}
	switch node.Protocol {
	case "vless":
		return &vlessinbound.Config{Clients: users, Decryption: "none"}, nil
	case "vmess":
		return &vmessinbound.Config{User: users}, nil
	case "trojan":
		return &trojan.ServerConfig{Users: users}, nil
	case "hysteria2":
		return hysteriaConfig(&hysteria.ServerConfig{Users: users})
	case "shadowsocks":
		if size := keySize(node.Settings.Method); size > 0 {
			if !strings.Contains(node.Settings.Method, "-aes-") {
				return nil, fmt.Errorf("settings of the node: method %s cannot tell users apart, use an AES method",
					node.Settings.Method)
			}
			if key, err := base64.StdEncoding.DecodeString(node.Settings.ServerKey); err != nil || len(key) != size {
				return nil, fmt.Errorf("settings of the node: server_key has to be %d bytes in base64", size)
			}
			return &shadowsocks_2022.MultiUserServerConfig{
				Method: node.Settings.Method, Key: node.Settings.ServerKey, Users: users, Network: both,
			}, nil
		}
		if cipher(node.Settings.Method) == shadowsocks.CipherType_UNKNOWN {
			return nil, fmt.Errorf("settings of the node: unknown method %q", node.Settings.Method)
		}
		return &shadowsocks.ServerConfig{Users: users, Network: both}, nil
	}
	return nil, fmt.Errorf("settings of the node: unknown protocol %q", node.Protocol)
}

// account returns the credentials of a user for the node's protocol.
func account(node api.Node, user api.User) proto.Message {
	switch node.Protocol {
	case "vless":
		return &vless.Account{Id: user.UUID, Flow: node.Settings.Flow, Encryption: "none"}
	case "vmess":
		return &vmess.Account{Id: user.UUID}
	case "trojan":
		return &trojan.Account{Password: user.UUID}
	case "hysteria2":
		return &hysteriaaccount.Account{Auth: user.UUID}
	}
	if size := keySize(node.Settings.Method); size > 0 {
		sum := sha256.Sum256([]byte("ss2022:" + user.Password))
		// Only text: third-party agents cannot create other keys.
		letters := base64.RawURLEncoding.EncodeToString(sum[:])
		return &shadowsocks_2022.Account{Key: base64.StdEncoding.EncodeToString([]byte(letters[:size]))}
	}
	return &shadowsocks.Account{Password: user.Password, CipherType: cipher(node.Settings.Method)}
}

// keySize returns the key length of a Shadowsocks 2022 method, 0 for an older method.
func keySize(method string) int {
	switch {
	case !strings.HasPrefix(method, "2022-blake3-"):
		return 0
	case strings.HasSuffix(method, "aes-128-gcm"):
		return 16
	}
	return 32
}

func cipher(method string) shadowsocks.CipherType {
	switch strings.ToLower(method) {
	case "aes-128-gcm":
		return shadowsocks.CipherType_AES_128_GCM
	case "aes-256-gcm":
		return shadowsocks.CipherType_AES_256_GCM
	case "chacha20-poly1305", "chacha20-ietf-poly1305":
		return shadowsocks.CipherType_CHACHA20_POLY1305
	case "xchacha20-poly1305", "xchacha20-ietf-poly1305":
		return shadowsocks.CipherType_XCHACHA20_POLY1305
	}
	return shadowsocks.CipherType_UNKNOWN
}
