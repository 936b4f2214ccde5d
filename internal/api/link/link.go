// Package link is the HTTP API of subscription links. It parses their parameters, those of the legacy address too, and
// writes the headers that clients evaluate. A browser gets a page instead of a file. An unknown token is answered in
// the same way whatever is wrong with it, so that guesses learn nothing.
package link

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/link"
	"airstrip/internal/text"
)

// Register serves links on mux, at their present address and at the legacy one.
func Register(mux *http.ServeMux, links *link.Links) {
	for path, read := range map[string]reader{
		"/link2/{token}": read, "/v1/link2/{token}": read,
		"/link/{token}": readLegacy, "/v1/link/{token}": readLegacy,
	} {
		// GET patterns answer HEAD as well.
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { serve(w, r, links, read) })
		mux.HandleFunc(path, refuse)
	}
}

// refuse answers other methods.
func refuse(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", "GET, HEAD")
	api.NewFailure(r.Context(), api.ErrMethod).Write(w)
}

// reader parses the parameters of a request and names each invalid one.
type reader func(*http.Request) (link.Request, fileName, error)

func serve(w http.ResponseWriter, r *http.Request, links *link.Links, read reader) {
	w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	req, name, err := read(r)
	if err != nil {
		api.NewFailure(r.Context(), err).Write(w)
		return
	}
	answer, err := links.Get(r.Context(), req)
	status, sent := http.StatusOK, 0
	switch {
	case err != nil:
		f := api.NewFailure(r.Context(), err)
		if f.Code == link.ErrUnknown.Code {
			f.RequestID = "" // The same body for every unknown token.
		}
		f.Write(w)
		status = f.GetStatus()
	case answer.Page != nil:
		sent = show(w, r, answer)
	default:
		status, sent = write(w, r, answer, name)
	}
	if answer.Fetch.UserID != 0 {
		links.Log(answer.Fetch, status, int64(sent))
	}
}

// fileName is the name of the download.
type fileName struct{ base, suffix string }

var (
	suffixes = map[string]bool{"txt": true, "json": true, "yaml": true, "conf": true, "list": true}
	bools    = map[string]bool{
		"true": true, "1": true, "yes": true, "on": true, "false": false, "0": false,
		"no": false, "off": false,
	}
)

// read parses the parameters of /link2/{token}.
func read(r *http.Request) (link.Request, fileName, error) {
	p := parameters{Values: r.URL.Query()}
	req := p.request(r)
	req.ClientType, req.VPNType = p.Get("client_type"), strings.ToLower(p.Get("vpn_type"))
	req.Extend = p.flag("is_node_extend")
	nodes := p.flag("is_proxy_mode")
	req.NodesOnly = nodes != nil && *nodes
	if given := p.Get("manual_link_group"); given != "" {
		n, ok := text.Integer(given)
		group := int(n)
		if !ok {
			p.refuse("manual_link_group", "type", fault.Text{
				ZH: "manual_link_group 必须是整数",
				EN: "manual_link_group must be a whole number",
			})
		}
		req.Group, req.GroupSign = &group, p.Get("group_sign")
	}
	name := fileName{clean(p.Get("filename")), strings.ToLower(p.Get("suffix_type"))}
	if name.suffix != "" && !suffixes[name.suffix] {
		p.refuse("suffix_type", "choice", fault.Text{
			ZH: "suffix_type 只能是 txt、json、yaml、conf 或 list",
			EN: "suffix_type is txt, json, yaml, conf or list",
		})
	}
	return req, name, p.err()
}

// parameters collects the parameters of a link and what is wrong with them.
type parameters struct {
	url.Values
	wrong []fault.Field
}

// request parses the parameters that both addresses share.
func (p *parameters) request(r *http.Request) link.Request {
	emoji := p.flag("is_remark_emoji")
	return link.Request{
		Token: r.PathValue("token"), NoFlags: emoji != nil && !*emoji,
		UserAgent: r.UserAgent(), Accept: r.Header.Get("Accept"), IP: api.CallerOf(r.Context()).IP, Host: r.Host,
	}
}

// flag returns a boolean parameter, nil if it is not set.
func (p *parameters) flag(name string) *bool {
	given := p.Get(name)
	value, known := bools[strings.ToLower(given)]
	if known {
		return &value
	}
	if given != "" {
		p.refuse(name, "type", fault.Text{ZH: name + " 必须是 true 或 false", EN: name + " must be true or false"})
	}
	return nil
}

func (p *parameters) refuse(name, code string, why fault.Text) {
	p.wrong = append(p.wrong, fault.Field{Name: name, Code: code, Text: why})
}

// err returns a fault with all invalid parameters. A parameter may be repeated with the same value, because programs
// append theirs to a link that already has it.
func (p *parameters) err() error {
	for name, values := range p.Values {
		if slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
			p.refuse(name, "repeated", fault.Text{ZH: name + " 有多个不同的值", EN: name + " is given with different values"})
		}
	}
	if len(p.wrong) > 0 {
		return fault.ErrInvalid.In(p.wrong...)
	}
	return nil
}

// write sends the file, or 304 if the client has it, and returns the status and the size of the body.
func write(w http.ResponseWriter, r *http.Request, a link.Answer, name fileName) (status, sent int) {
	h := w.Header()
	body, etag := a.Body, `"`+a.ETag+`"`
	coding := preferred(r.Header.Get("Accept-Encoding"))
	if coding != "" {
		body, etag = a.Compressed(coding), `"`+a.ETag+"-"+coding+`"`
	}
	h.Set("ETag", etag)
	h.Set(gzhttp.HeaderNoCompression, "1") // The ETag depends on the compression, so nobody else may compress it.
	h.Set("Cache-Control", "private, no-cache")
	h["Vary"] = []string{"User-Agent, Accept, Accept-Encoding"}
	h.Set("Subscription-Userinfo", a.Userinfo)
	h.Set("Profile-Update-Interval", strconv.Itoa(a.Hours))
	h.Set("Profile-Title", "base64:"+base64.StdEncoding.EncodeToString([]byte(a.Title)))
	h.Set("Profile-Web-Page-Url", a.Site)
	if a.Support != "" {
		h.Set("Support-Url", a.Support)
	}
	h.Set("X-Nodes-Left-Out", strconv.Itoa(a.LeftOut))
	if matches(r.Header.Get("If-None-Match"), a.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified, 0
	}
	if name.suffix == "" {
		name.suffix = a.Suffix
	}
	if name.base == "" { // Clients show the name, so the default is that of the site.
		name.base = clean(a.Title)
	}
	h.Set("Content-Type", a.Type)
	h.Set("Content-Disposition", disposition(name, a.Inline))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return http.StatusOK, 0
	}
	sent, _ = w.Write(body) // A client that disconnected is not an error.
	return http.StatusOK, sent
}

// matches reports whether the client has the file with this ETag, compressed or not.
func matches(header, etag string) bool {
	for _, tag := range strings.Split(header, ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == "*" || tag == `"`+etag+`"` {
			return true
		}
		for _, coding := range link.Codings {
			if tag == `"`+etag+"-"+coding+`"` {
				return true
			}
		}
	}
	return false
}

// preferred returns the compression to use: the first of link.Codings among those with the client's highest weight, or
// empty for none.
func preferred(header string) string {
	weights := map[string]float64{}
	for _, part := range strings.Split(strings.ToLower(header), ",") {
		coding, parameter, _ := strings.Cut(part, ";")
		weight := 1.0
		if name, q, given := strings.Cut(strings.TrimSpace(parameter), "="); given && strings.TrimSpace(name) == "q" {
			var err error
			if weight, err = strconv.ParseFloat(strings.TrimSpace(q), 64); err != nil || !(weight >= 0 && weight <= 1) {
				weight = 0
			}
		}
		weights[strings.TrimSpace(coding)] = weight
	}
	best, most := "", weights["identity"]
	for _, coding := range link.Codings {
		weight, named := weights[coding]
		if !named {
			weight = weights["*"]
		}
		if weight > most || weight == most && weight > 0 && best == "" {
			best, most = coding, weight
		}
	}
	return best
}

const maxFileName = 64 // In characters.

// clean removes from a file name what headers or file systems do not support. The result may be empty.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`"'\/:*?<>|;%`, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if runes := []rune(name); len(runes) > maxFileName {
		name = string(runes[:maxFileName])
	}
	return strings.Trim(name, " .")
}

const nameless = "subscription" // For names without a character that every system supports.

// disposition contains the name twice: some clients read only the first form, others prefer the second.
func disposition(name fileName, inline bool) string {
	kind := "attachment"
	if inline {
		kind = "inline"
	}
	if name.base == "" {
		name.base = nameless
	}
	ascii := strings.Map(func(r rune) rune {
		if r > '~' {
			return '_'
		}
		return r
	}, name.base)
	if strings.Trim(ascii, "_ ") == "" {
		ascii = nameless
	}
	encoded := strings.ReplaceAll(url.QueryEscape(name.base+"."+name.suffix), "+", "%20")
	return kind + `; filename="` + ascii + "." + name.suffix + `"; filename*=UTF-8''` + encoded
}
