package run_test

import (
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

func TestASecretThatWasReplacedOpensNothingAlsoWhileTheNodeCannotBeServedAsWanted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	w.start()
	wanted := w.setup.Node
	wanted.Settings.Transport = "pigeons"
	replaced := User(1)
	replaced.UUID = User(2).UUID
	w.publish(api.Change{Node: &wanted})
	w.says("pigeons")
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
	w.publish(api.Change{Users: []api.User{replaced}})
	eventually(t, 20*time.Second, "the new secret lets in", func() bool { return !Refused(w.client(replaced).Dial(w.echo)) })
	if !Refused(w.client(User(1)).Dial(w.echo)) {
		t.Error("the old secret lets in")
	}
	replaced.UUID = User(3).UUID
	w.publish(api.Change{Node: &wanted, Users: []api.User{replaced}})
	eventually(t, 20*time.Second, "the newer secret lets in", func() bool { return !Refused(w.client(replaced).Dial(w.echo)) })
}
