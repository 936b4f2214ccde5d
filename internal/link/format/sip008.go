package format

import (
	"strconv"

	"github.com/google/uuid"
)

// sip008Server is a server of SIP008, with everything that an Outline access key contains.
type sip008Server struct {
	ID       string `json:"id,omitempty"`
	Remarks  string `json:"remarks,omitempty"`
	Server   string `json:"server"`
	Port     int    `json:"server_port"`
	Password string `json:"password"`
	Method   string `json:"method"`
}

// sip008 writes the server list of Shadowsocks apps. An ID stays the same as long as the address does.
func sip008(c content) []byte {
	list := struct {
		Version int            `json:"version"`
		Servers []sip008Server `json:"servers"`
	}{Version: 1}
	for i := range c.entries {
		p := &c.entries[i]
		id := uuid.NewSHA1(uuid.NameSpaceURL, []byte("ss://"+p.Address+":"+strconv.Itoa(p.Port)+"/"+p.Method))
		if i < c.notices { // Notices share one address.
			id = uuid.NewSHA1(uuid.NameSpaceURL, []byte("notice:"+p.Name))
		}
		list.Servers = append(list.Servers, sip008Server{id.String(), p.Name, p.Address, p.Port, p.Password, p.Method})
	}
	return indented(list)
}

// outline writes the first entry only: an Outline key is one server.
func outline(c content) []byte {
	p := &c.entries[0]
	if len(c.entries) > c.notices { // A notice would not be visible there.
		p = &c.entries[c.notices]
	}
	return indented(sip008Server{Server: p.Address, Port: p.Port, Password: p.Password, Method: p.Method})
}
