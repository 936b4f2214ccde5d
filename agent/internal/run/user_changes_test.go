package run_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

func TestEveryProtocol_DownloadsWhileUsersChange_AreNotInterrupted(t *testing.T) {
	times, downloads := 100, 20
	if *full {
		times, downloads = 1000, 50
	}
	few := []string{
		"vless reality vision", "vmess grpc tls", "trojan tls", "shadowsocks aes-128-gcm",
		"shadowsocks 2022-blake3-aes-128-gcm", "hysteria2",
	}
	for _, s := range Setups(t) {
		if *full || slices.Contains(few, s.Name) {
			t.Run(s.Name, func(t *testing.T) { churn(t, s, times, downloads) })
		}
	}
}

func churn(t *testing.T, s Setup, times, downloads int) {
	var staying []api.User
	for id := range int64(10) {
		staying = append(staying, User(id+1))
	}
	s.Node.ReportSeconds = 1
	e := newTestEnvWith(t, s, staying...)
	e.start()
	from, over := SlowSource(t), make(chan struct{})
	var group sync.WaitGroup
	for _, u := range staying {
		client := e.client(u)
		for range downloads / len(staying) {
			conn := client.Dial(from)
			group.Go(func() {
				if err := Download(conn, over); err != nil {
					t.Errorf("a download of user %d broke: %v", u.ID, err)
				}
			})
		}
	}
	for i := range times {
		comer := User(int64(100 + i))
		e.publish(api.Change{Users: []api.User{comer}})
		if i%(times/5) == 0 {
			e.mustLetIn(e.client(comer), "who has come")
		}
		rekeyed := User(int64(50_000 + i))
		rekeyed.ID = comer.ID
		e.publish(api.Change{Users: []api.User{rekeyed}})
		limited := rekeyed
		limited.SpeedMbps = Ptr(100.0)
		e.publish(api.Change{Users: []api.User{limited}})
		e.publish(api.Change{Removed: []int64{comer.ID}})
		time.Sleep(5 * time.Millisecond)
	}
	e.publish(api.Change{Users: []api.User{User(99)}})
	e.mustLetIn(e.client(User(99)), "the last of all")
	close(over)
	group.Wait()
}
