// Package link is the door of subscription links: it reads their parameters and writes the headers that clients go by.
package link

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/link"
)

// Register serves links on mux.
func Register(mux *http.ServeMux, links *link.Links) {
	for _, path := range []string{"GET /link2/{token}", "GET /v1/link2/{token}"} { // GET answers HEAD too
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { serve(w, r, links) })
	}
}

func serve(w http.ResponseWriter, r *http.Request, links *link.Links) {
	w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	req, name, err := read(r)
	if err != nil {
		api.NewFailure(r.Context(), err).Write(w)
		return
	}
	answer, err := links.Get(r.Context(), req)
	status := http.StatusOK
	switch {
	case err != nil:
		f := api.NewFailure(r.Context(), err)
		if f.Code == link.ErrUnknown.Code {
			f.RequestID = "" // one body for every token that is not known
		}
		f.Write(w)
		status = f.GetStatus()
	default:
		status = write(w, r, answer, name)
	}
	if answer.Fetch.UserID != 0 {
		links.Log(answer.Fetch, status)
	}
}

// fileName is what the download is to be called.
type fileName struct{ base, suffix string }

var (
	suffixes = map[string]bool{"txt": true, "json": true, "yaml": true, "conf": true, "list": true}
	bools    = map[string]bool{"true": true, "1": true, "yes": true, "on": true, "false": false, "0": false, "no": false, "off": false}
)

// read takes the parameters; each that is wrong is named.
func read(r *http.Request) (link.Request, fileName, error) {
	q := r.URL.Query()
	req := link.Request{
		Token: r.PathValue("token"), ClientType: q.Get("client_type"), VPNType: strings.ToLower(q.Get("vpn_type")),
		UserAgent: r.UserAgent(), Accept: r.Header.Get("Accept"), IP: api.CallerOf(r.Context()).IP,
	}
	var wrong []fault.Field
	flag := func(name string) *bool {
		text := q.Get(name)
		value, known := bools[strings.ToLower(text)]
		if !known {
			if text != "" {
				wrong = append(wrong, fault.Field{Name: name, Code: "type", Text: fault.Text{ZH: name + " 必须是 true 或 false", EN: name + " must be true or false"}})
			}
			return nil
		}
		return &value
	}
	req.Extend = flag("is_node_extend")
	emoji, nodes := flag("is_remark_emoji"), flag("is_proxy_mode")
	req.NoFlags, req.NodesOnly = emoji != nil && !*emoji, nodes != nil && *nodes
	if group := q.Get("manual_link_group"); group != "" { // a node has one address, so no group leads to another one
		if _, err := strconv.Atoi(group); err != nil {
			wrong = append(wrong, fault.Field{Name: "manual_link_group", Code: "type", Text: fault.Text{ZH: "manual_link_group 必须是整数", EN: "manual_link_group must be a whole number"}})
		}
	}
	name := fileName{clean(q.Get("filename")), strings.ToLower(q.Get("suffix_type"))}
	if name.suffix != "" && !suffixes[name.suffix] {
		wrong = append(wrong, fault.Field{Name: "suffix_type", Code: "choice", Text: fault.Text{ZH: "suffix_type 只能是 txt、json、yaml、conf 或 list", EN: "suffix_type is txt, json, yaml, conf or list"}})
	}
	if len(wrong) > 0 {
		return req, name, fault.ErrInvalid.In(wrong...)
	}
	return req, name, nil
}

// write answers the file, or 304 where the client has it, and gives the status.
func write(w http.ResponseWriter, r *http.Request, a link.Answer, name fileName) int {
	h := w.Header()
	body, etag := a.Body, `"`+a.ETag+`"`
	zipped := acceptsGzip(r.Header.Get("Accept-Encoding"))
	if zipped {
		body, etag = a.Gzip(), `"`+a.ETag+`-gzip"`
	}
	h.Set("ETag", etag)
	h.Set("Cache-Control", "private, no-cache")
	h["Vary"] = []string{"User-Agent, Accept, Accept-Encoding"}
	h.Set("Subscription-Userinfo", a.Userinfo)
	h.Set("Profile-Update-Interval", strconv.Itoa(a.Hours))
	h.Set("Profile-Title", "base64:"+base64.StdEncoding.EncodeToString([]byte(a.Title)))
	h.Set("Profile-Web-Page-Url", a.Site)
	h.Set("X-Nodes-Left-Out", strconv.Itoa(a.LeftOut))
	if matches(r.Header.Get("If-None-Match"), a.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	if name.suffix == "" {
		name.suffix = a.Suffix
	}
	h.Set("Content-Type", a.Type)
	h.Set("Content-Disposition", disposition(name, a.Inline))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if zipped {
		h.Set("Content-Encoding", "gzip")
	}
	w.WriteHeader(http.StatusOK)
	w.Write(body)
	return http.StatusOK
}

// matches tells whether the client holds the file with this tag, compressed or not.
func matches(header, etag string) bool {
	for _, tag := range strings.Split(header, ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == "*" || tag == `"`+etag+`"` || tag == `"`+etag+`-gzip"` {
			return true
		}
	}
	return false
}

func acceptsGzip(header string) bool {
	for _, part := range strings.Split(strings.ToLower(header), ",") {
		coding, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(coding) == "gzip" {
			q = strings.TrimPrefix(strings.TrimSpace(q), "q=")
			weight, err := strconv.ParseFloat(q, 64)
			return q == "" || (err == nil && weight > 0)
		}
	}
	return false
}

const maxFileName = 64 // characters

// clean keeps of a file's name what no header and no file system stumbles over.
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
	if name = strings.Trim(name, " ."); name == "" {
		return "V2RayN"
	}
	return name
}

// disposition names the download twice: some clients read only the first name, others prefer the second.
func disposition(name fileName, inline bool) string {
	kind := "attachment"
	if inline {
		kind = "inline"
	}
	ascii := strings.Map(func(r rune) rune {
		if r > '~' {
			return '_'
		}
		return r
	}, name.base)
	encoded := strings.ReplaceAll(url.QueryEscape(name.base+"."+name.suffix), "+", "%20")
	return kind + `; filename="` + ascii + "." + name.suffix + `"; filename*=UTF-8''` + encoded
}
