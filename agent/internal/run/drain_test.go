package run_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/run"
	. "airstrip/agent/internal/xraytest"
)

func TestAStopLetsOpenConnectionsEndAndNewOnesNotBegin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	ctx, stop := context.WithCancel(t.Context())
	config := w.config(t.Output())
	config.Drain = 20 * time.Second
	ended := make(chan error, 1)
	go func() { ended <- run.Run(ctx, config) }()
	w.listening()
	client := w.client(User(1))
	var open net.Conn
	eventually(t, 5*time.Second, "the user is let in", func() bool {
		open = client.Dial(w.echo)
		_, err := Exchange(open, 1000)
		return err == nil
	})
	moved := w.bill(1)
	stop()
	eventually(t, 5*time.Second, "nobody is let in any more", func() bool {
		late := client.Dial(w.echo)
		defer late.Close()
		return Refused(late)
	})
	w.mustExchange(open, 5000)
	select {
	case err := <-ended:
		t.Fatalf("the agent ended while a connection was open: %v", err)
	default:
	}
	open.Close()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the agent goes on without connections")
	}
	if bill := w.bill(1); bill < moved+10_000 {
		t.Errorf("billed %d; what moved after the stop is missing", bill)
	}
}

func TestCheckNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	problems := func(c run.Config) (bad []string) {
		for _, f := range run.Check(t.Context(), c) {
			if f.Err != nil {
				bad = append(bad, f.What+": "+f.Err.Error())
			}
		}
		return bad
	}
	good := w.config(t.Output())
	if bad := problems(good); len(bad) > 0 {
		t.Errorf("nothing is wrong, but: %v", bad)
	}
	other := good
	other.Node = 99
	if bad := problems(other); len(bad) != 1 || !strings.Contains(bad[0], "another node") {
		t.Errorf("with another node's secret: %v", bad)
	}
	stranger := good
	stranger.Secret = "guess"
	if bad := problems(stranger); len(bad) != 1 || !strings.Contains(bad[0], "401") {
		t.Errorf("with a wrong secret: %v", bad)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cert := SelfSigned(t, "a.test")
	w.set(func() {
		w.node.Port = taken.Addr().(*net.TCPAddr).Port
		w.node.Settings.TLS.ServerName, w.node.Settings.TLS.Certificate, w.node.Settings.TLS.Key = "b.test", cert.PEM, cert.Key
	})
	if bad := problems(good); len(bad) != 2 || !strings.Contains(bad[0], "a.test") || !strings.Contains(bad[1], "in use") {
		t.Errorf("with a port in use and another name's certificate: %v", bad)
	}
	w.set(func() { w.node.Port, w.node.Settings.TLS.ACME = FreePort(t), &api.ACME{Challenge: "dns-01"} })
	if bad := problems(good); len(bad) != 1 || !strings.Contains(bad[0], "certificate for b.test") || !strings.Contains(bad[0], "dns_file") {
		t.Errorf("with dns-01 and nowhere to put a record: %v", bad)
	}
}

func TestTheFolderTellsHowAnAgentStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1), User(2))
	w.start()
	eventually(t, 5*time.Second, "the list is saved", func() bool {
		s, err := run.Summarize(w.data)
		return err == nil && s.Running && s.Users == 2 && s.Node == w.setup.Node.ID && s.Revision == 1
	})
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if s, err := run.Summarize(w.data); err != nil || s.Running || s.Waiting != 0 {
		t.Errorf("after the end: %+v %v", s, err)
	}
	if _, err := run.Summarize(w.data + "/nowhere"); err == nil {
		t.Error("a folder that is not there is summarized")
	}
}
