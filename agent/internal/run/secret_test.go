package run_test

import (
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

func TestSecret_ReplacedWhileConfigurationFails_IsRefused(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	wanted := e.setup.Node
	wanted.Settings.Transport = "pigeons"
	replaced := User(1)
	replaced.UUID = User(2).UUID
	e.publish(api.Change{Node: &wanted})
	e.waitForStatus("pigeons")
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	e.publish(api.Change{Users: []api.User{replaced}})
	eventually(t, 20*time.Second, "the new secret lets in",
		func() bool { return !Refused(e.client(replaced).Dial(e.echo)) })
	if !Refused(e.client(User(1)).Dial(e.echo)) {
		t.Error("the old secret lets in")
	}
	replaced.UUID = User(3).UUID
	e.publish(api.Change{Node: &wanted, Users: []api.User{replaced}})
	eventually(t, 20*time.Second, "the newer secret lets in",
		func() bool { return !Refused(e.client(replaced).Dial(e.echo)) })
}
