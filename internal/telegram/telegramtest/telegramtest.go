// Package telegramtest stands in for Telegram in tests: its Bot API over HTTP, and people who write to the bot and
// press its buttons.
package telegramtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Token is the bot's, and BotName its user name.
const (
	Token   = "123456:stand-in"
	BotName = "airstrip_test_bot"
	botID   = 123456
)

const patience = 2 * time.Minute // for what must happen; tests that pass do not wait for it

// Server is Telegram with one bot.
type Server struct {
	URL   string
	t     testing.TB
	calls chan Call

	mu        sync.Mutex
	changed   chan struct{} // closed when an update comes or a poll ends
	updates   []map[string]any
	lastID    int64
	polls     int
	conflicts int
	down      bool
	unheard   int
	webhook   Call
	lastTopic int64
	topics    map[int64]bool // by thread id, whether it is closed
	taken     int            // calls to a chat that are taken before some are refused
	tooMany   int            // calls that are refused then
}

// Call is something that the bot asked of Telegram.
type Call struct {
	Method string
	ChatID int64 `json:"chat_id"`
	Text   string
	Markup struct {
		Rows [][]Button `json:"inline_keyboard"`
	} `json:"reply_markup"`
	URL         string
	SecretToken string `json:"secret_token"`
	IsProtected bool   `json:"protect_content"`
	ThreadID    int64  `json:"message_thread_id"`
	Name        string // of a topic
	MessageID   int64  `json:"message_id"`
	ReplyTo     struct {
		MessageID int64 `json:"message_id"`
	} `json:"reply_parameters"`
}

// Button is one that the bot put under a message.
type Button struct {
	Text string
	Data string `json:"callback_data"`
	URL  string
}

// Person is somebody with a Telegram account.
type Person struct {
	ID   int64
	Lang string // IETF tag
}

// New starts Telegram for the length of a test.
func New(t testing.TB) *Server {
	s := &Server{
		t: t, calls: make(chan Call, 100), changed: make(chan struct{}), lastID: 7000,
		lastTopic: 900, topics: map[int64]bool{},
	}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	method, ok := strings.CutPrefix(r.URL.Path, "/bot"+Token+"/")
	s.mu.Lock()
	down := s.down
	if down {
		s.unheard++
	}
	s.mu.Unlock()
	switch {
	case down:
		w.WriteHeader(http.StatusBadGateway)
		return
	case !ok:
		refuse(w, http.StatusUnauthorized, "Unauthorized")
		return
	}
	switch method {
	case "getMe":
		answer(w, map[string]any{"id": botID, "is_bot": true, "first_name": "Airstrip", "username": BotName})
	case "getUpdates":
		s.getUpdates(w, r)
	case "setWebhook", "deleteWebhook", "setMyCommands", "answerCallbackQuery", "sendMessage", "editMessageText",
		"createForumTopic", "closeForumTopic", "reopenForumTopic", "deleteForumTopic", "setMessageReaction":
		var c Call
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			refuse(w, http.StatusBadRequest, "Bad Request: "+err.Error())
			return
		}
		c.Method = method
		if c.ChatID != 0 && s.isTooMany() {
			w.WriteHeader(http.StatusTooManyRequests)
			_ = json.NewEncoder(w).Encode(map[string]any{ // the caller has gone
				"ok": false, "error_code": http.StatusTooManyRequests, "description": "Too Many Requests: retry after 1",
				"parameters": map[string]any{"retry_after": 1},
			})
			return
		}
		if wrong := s.topic(&c); wrong != "" {
			refuse(w, http.StatusBadRequest, wrong)
			return
		}
		switch method {
		case "createForumTopic":
			s.mu.Lock()
			s.lastTopic++
			c.ThreadID = s.lastTopic
			s.topics[c.ThreadID] = false
			s.mu.Unlock()
			s.calls <- c
			answer(w, map[string]any{"message_thread_id": c.ThreadID, "name": c.Name})
			return
		case "closeForumTopic", "reopenForumTopic", "deleteForumTopic", "setMessageReaction":
			s.calls <- c
		case "setWebhook", "deleteWebhook":
			s.mu.Lock()
			s.webhook = c
			s.mu.Unlock()
		case "sendMessage", "editMessageText":
			for _, b := range slices.Concat(c.Markup.Rows...) {
				if (b.Data == "") == (b.URL == "") || len(b.Data) > 64 || b.Text == "" {
					refuse(w, http.StatusBadRequest, "Bad Request: can't parse inline keyboard button")
					return
				}
			}
			s.calls <- c
		}
		answer(w, true)
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

// topic does what a call wants of a topic, and returns why it cannot be done; empty: it is done.
func (s *Server) topic(c *Call) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Method == "createForumTopic" {
		if c.ChatID != StaffGroupID {
			return "Bad Request: the chat is not a forum"
		}
		if n := len([]rune(c.Name)); n == 0 || n > 128 {
			return "Bad Request: TOPIC_NAME_INVALID"
		}
		return ""
	}
	if c.ThreadID == 0 {
		return ""
	}
	isClosed, known := s.topics[c.ThreadID]
	if !known {
		return "Bad Request: message thread not found"
	}
	switch c.Method {
	case "closeForumTopic", "reopenForumTopic":
		if want := c.Method == "closeForumTopic"; isClosed == want {
			return "Bad Request: TOPIC_NOT_MODIFIED"
		}
		s.topics[c.ThreadID] = !isClosed
	case "deleteForumTopic":
		delete(s.topics, c.ThreadID)
	}
	return ""
}

func (s *Server) isTooMany() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.taken > 0:
		s.taken--
	case s.tooMany > 0:
		s.tooMany--
		return true
	}
	return false
}

// TooMany makes Telegram refuse n calls to chats after it has taken some, with a second to wait.
func (s *Server) TooMany(after, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken, s.tooMany = after, n
}

// DeleteTopic deletes a topic, as people do in the group.
func (s *Server) DeleteTopic(threadID int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.topics, threadID)
}

func (s *Server) getUpdates(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Offset  int64
		Timeout int
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.mu.Lock()
	if s.polls > 0 || s.webhook.URL != "" {
		s.conflicts++
		s.mu.Unlock()
		refuse(w, http.StatusConflict, "Conflict: terminated by other getUpdates request")
		return
	}
	s.polls++
	defer func() {
		s.polls--
		s.mu.Unlock()
	}()
	for len(s.updates) > 0 && s.updates[0]["update_id"].(int64) < in.Offset {
		s.updates = s.updates[1:]
	}
	for end := time.After(time.Duration(in.Timeout) * time.Second); len(s.updates) == 0; {
		changed := s.changed
		s.mu.Unlock()
		stop := false
		select {
		case <-changed:
		case <-end:
			stop = true
		case <-r.Context().Done():
			stop = true
		}
		s.mu.Lock()
		if stop {
			break
		}
	}
	answer(w, s.updates)
}

func (s *Server) add(kind string, what map[string]any) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	u := map[string]any{"update_id": s.lastID, kind: what}
	s.updates = append(s.updates, u)
	close(s.changed)
	s.changed = make(chan struct{})
	return u
}

// Say sends the bot a message in private, and gives the update that it makes.
func (s *Server) Say(who Person, text string) map[string]any {
	return s.add("message", map[string]any{
		"message_id": 1, "date": 1, "text": text, "from": who.wire(), "chat": map[string]any{
			"id":   who.ID,
			"type": "private",
		},
	})
}

// GroupID is the id of the group of SayInGroup.
const GroupID = -5

// SayInGroup sends the bot a message in a group.
func (s *Server) SayInGroup(who Person, text string) {
	s.add("message", map[string]any{
		"message_id": 1, "date": 1, "text": text, "from": who.wire(),
		"chat": map[string]any{"id": GroupID, "type": "group"},
	})
}

// StaffGroupID is the id of the group with topics.
const StaffGroupID = -1005

// SayInTopic sends a message in a topic of the group with topics; an empty one is a picture.
func (s *Server) SayInTopic(who Person, threadID int64, text string) map[string]any {
	m := map[string]any{
		"message_id": 3, "date": 1, "from": who.wire(), "chat": map[string]any{"id": StaffGroupID, "type": "supergroup"},
		"message_thread_id": threadID, "is_topic_message": true,
	}
	if m["text"] = text; text == "" {
		m["photo"] = []map[string]any{{"file_id": "x"}}
	}
	return s.add("message", m)
}

// Reply answers a message of the bot in private.
func (s *Server) Reply(who Person, to Call, text string) {
	s.add("message", map[string]any{
		"message_id": 4, "date": 1, "text": text, "from": who.wire(),
		"chat": map[string]any{"id": who.ID, "type": "private"},
		"reply_to_message": map[string]any{
			"message_id": 2, "date": 1, "text": to.Text, "chat": map[string]any{"id": who.ID, "type": "private"},
			"from": map[string]any{"id": botID, "is_bot": true, "username": BotName},
		},
	})
}

// Start opens a link to the bot and presses Start.
func (s *Server) Start(who Person, link string) {
	s.t.Helper()
	code, ok := strings.CutPrefix(link, "https://t.me/"+BotName+"?start=")
	if !ok || len(code) > 64 ||
		strings.Trim(code, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		s.t.Fatalf("Telegram cannot start a bot with %q", link)
	}
	s.Say(who, "/start "+code)
}

// Press presses a button under a message.
func (s *Server) Press(who Person, b Button) {
	s.t.Helper()
	if len(b.Data) > 64 {
		s.t.Fatalf("Telegram does not take %d bytes for a button", len(b.Data))
	}
	s.add("callback_query", map[string]any{
		"id": "1", "from": who.wire(), "data": b.Data, "message": map[string]any{
			"message_id": 2, "date": 1,
			"chat": map[string]any{"id": who.ID, "type": "private"},
		},
	})
}

func (p Person) wire() map[string]any {
	return map[string]any{"id": p.ID, "is_bot": false, "first_name": "Lin", "language_code": p.Lang}
}

// Next waits for the next message that the bot writes or changes.
func (s *Server) Next() Call {
	s.t.Helper()
	select {
	case c := <-s.calls:
		return c
	case <-time.After(patience):
		s.t.Fatal("the bot says nothing")
		return Call{}
	}
}

// Silent tells whether the bot has said nothing that Next has not given.
func (s *Server) Silent() bool { return len(s.calls) == 0 }

// Webhook gives where the bot wants its updates sent, and with what secret; empty: nowhere.
func (s *Server) Webhook() (url, secretToken string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.webhook.URL, s.webhook.SecretToken
}

// Conflicts counts polls that came while another one was open.
func (s *Server) Conflicts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conflicts
}

// Unheard counts calls that came while Telegram was down.
func (s *Server) Unheard() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unheard
}

// Down makes Telegram answer nothing but a gateway's error, or work again.
func (s *Server) Down(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func answer(w http.ResponseWriter, result any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result}) // the caller has gone
}

func refuse(w http.ResponseWriter, code int, description string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	// the caller has gone
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": false, "error_code": code, "description": description})
}
