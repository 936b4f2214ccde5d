package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
)

// Check tries what an agent with this configuration needs, without serving. What is wrong will keep it from serving. Ports
// are those of the nodes beside it that were checked before; its own are added.
func Check(ctx context.Context, c Config, ports *Ports) []Finding {
	var found findings
	defer removeAll(missing(c.Data)) // who serves may be another user, who can do nothing with a folder of ours
	folder, err := claim(c.Data)
	running := errors.Is(err, errInUse)
	if err == nil {
		defer folder.Close()
		err = tryFolder(c)
	}
	if running {
		found.say(nil, "data folder %s: an agent works on it", c.Data)
	} else {
		found.say(err, "data folder %s", c.Data)
	}
	client, err := api.New(c.Server, c.Secret, c.Version)
	if err != nil {
		found.say(err, "server")
		return found
	}
	asking, cancel := context.WithTimeout(ctx, firstCall)
	defer cancel()
	snapshot, _, err := client.Snapshot(asking, "")
	found.say(err, "server %s", c.Server)
	found.note(plain(c.Server))
	if err != nil {
		return found
	}
	found.say(clockTrouble(client.Now()), "clock")
	node := snapshot.Node
	found = append(found, standingOf(node, len(snapshot.Users), ""))
	if node.ID != c.Node {
		found[len(found)-1].Wrong = fmt.Sprintf("%v: secret_file holds node %d's, and this one was told to be node %d", errOtherNode, node.ID, c.Node)
		return found
	}
	if t := node.Settings.TLS; hasCertificate(t) {
		err, doubt := checkCertificate(ctx, c, t)
		found.say(err, "certificate for %s", t.ServerName)
		found.note(doubt)
	}
	if node.Settings.Security == "reality" {
		found.say(nil, "reality dest %s", node.Settings.Reality.Dest)
		found.note(checkReality(ctx, node.Settings.Reality))
	}
	open := func(w wanted, what string, args ...any) {
		w.by, w.listen = fmt.Sprintf("node %d of %s", c.Node, c.Server), node.Listen
		err := ports.add(w)
		if err == nil && running {
			return
		}
		if err == nil {
			err = w.try()
		}
		found.say(err, what, args...)
	}
	tcp, udp := engine.Networks(node)
	open(wanted{port: node.Port, tcp: tcp, udp: udp}, "listener: %s", place(node))
	for _, f := range node.Forwards {
		open(wanted{port: f.Port, tcp: f.TCP, udp: f.UDP}, "relay of %s: port %d", f.Target, f.Port)
	}
	return found
}

// plain is what to know of an address without TLS.
func plain(server string) error {
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "https" || u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback() {
		return nil
	}
	return errors.New("it is http: everybody on the way can read the node's secret and the users'")
}
