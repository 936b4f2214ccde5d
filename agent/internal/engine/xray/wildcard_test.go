package xray_test

import (
	"bytes"
	"encoding/json"
	"testing"

	. "airstrip/agent/internal/xraytest"
)

// Nodes listen at 0.0.0.0 by default, which includes machines that have only IPv6.
func TestListen_AllAddresses_IncludesIPv6(t *testing.T) {
	echo := EchoServer(t)
	eachExchange(t, func(t *testing.T, s Setup) {
		s.Node.Listen = "0.0.0.0"
		newTestNode(t).Serve(s.Node, User(1))
		text, err := json.Marshal(s.Client(User(1)))
		if err != nil {
			t.Fatal(err)
		}
		var outbound Object
		if err := json.Unmarshal(bytes.ReplaceAll(text, []byte(`"127.0.0.1"`), []byte(`"::1"`)),
			&outbound); err != nil {
			t.Fatal(err)
		}
		MustExchange(t, NewClient(t, outbound).Dial(echo), 1000)
	})
}
