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

// Check tests everything that an agent with this configuration needs, without serving. A bad finding will keep it from
// serving. ports holds the ports of nodes checked before; those of this node are added.
func Check(ctx context.Context, c Config, ports *Ports) []Finding {
	var found findings
	// The agent may run as another user, who could not write to a folder of this one.
	defer removeEmptyFolders(missingFolders(c.Data))
	folder, err := lockFolder(c.Data)
	running := errors.Is(err, errInUse)
	if err == nil {
		defer folder.Close()
		err = checkFolder(c)
	}
	if running {
		found.add(nil, "data folder %s: an agent works on it", c.Data)
	} else {
		found.add(err, "data folder %s", c.Data)
	}
	client, err := api.New(c.Server, c.Secret, c.Version)
	if err != nil {
		found.add(err, "server")
		return found
	}
	asking, cancel := context.WithTimeout(ctx, firstSnapshotTimeout)
	defer cancel()
	snapshot, _, err := client.Snapshot(asking, "")
	found.add(err, "server %s", c.Server)
	found.addNote(checkPlainHTTP(c.Server))
	if err != nil {
		return found
	}
	found.add(clockError(client.Now()), "clock")
	node := snapshot.Node
	found = append(found, nodeFinding(node, len(snapshot.Users), ""))
	if node.ID != c.Node {
		found[len(found)-1].Wrong = fmt.Sprintf("%v: secret_file holds node %d's, and this one was told to be node %d",
			errOtherNode, node.ID, c.Node)
		return found
	}
	if t := node.Settings.TLS; hasCertificate(t) {
		err, doubt := checkCertificate(ctx, c, t)
		found.add(err, "certificate for %s", t.ServerName)
		found.addNote(doubt)
	}
	if node.Settings.Security == "reality" {
		found.add(nil, "reality dest %s", node.Settings.Reality.Dest)
		found.addNote(checkReality(ctx, node.Settings.Reality))
	}
	open := func(w portRequest, what string, args ...any) {
		w.node, w.listen = fmt.Sprintf("node %d of %s", c.Node, c.Server), node.Listen
		err := ports.add(w)
		if err == nil && running {
			return
		}
		if err == nil {
			err = w.check()
		}
		found.add(err, what, args...)
	}
	tcp, udp := engine.Networks(node)
	open(portRequest{port: node.Port, tcp: tcp, udp: udp}, "listener: %s", listenAddress(node))
	for _, f := range node.Forwards {
		open(portRequest{port: f.Port, tcp: f.TCP, udp: f.UDP}, "relay of %s: port %d", f.Target, f.Port)
	}
	return found
}

// checkPlainHTTP returns a warning about an address without TLS.
func checkPlainHTTP(server string) error {
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "https" || u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback() {
		return nil
	}
	return errors.New("it is http: everybody on the way can read the node's secret and the users'")
}
