package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// What is used of Telegram's Bot API, https://core.telegram.org/bots/api, with its names.

type person struct {
	ID           int64  `json:"id"`
	IsBot        bool   `json:"is_bot"`
	Username     string `json:"username"`
	LanguageCode string `json:"language_code"` // IETF tag; may be empty
}

type chat struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

type message struct {
	ID       int64    `json:"message_id"`
	From     *person  `json:"from"`
	Chat     chat     `json:"chat"`
	Text     string   `json:"text"`
	ThreadID int64    `json:"message_thread_id"`
	InTopic  bool     `json:"is_topic_message"` // else ThreadID is that of answers to one message
	ReplyTo  *message `json:"reply_to_message"`

	// of what is no text only whether there is any
	Photo     []json.RawMessage `json:"photo"`
	Document  json.RawMessage   `json:"document"`
	Video     json.RawMessage   `json:"video"`
	Animation json.RawMessage   `json:"animation"`
	Audio     json.RawMessage   `json:"audio"`
	Voice     json.RawMessage   `json:"voice"`
	VideoNote json.RawMessage   `json:"video_note"`
	Sticker   json.RawMessage   `json:"sticker"`
}

// hasMedia tells whether somebody sent more or something else than a text.
func (m *message) hasMedia() bool {
	return len(m.Photo) > 0 || slices.ContainsFunc([]json.RawMessage{
		m.Document, m.Video, m.Animation, m.Audio, m.Voice, m.VideoNote, m.Sticker,
	}, func(r json.RawMessage) bool { return r != nil })
}

type callbackQuery struct {
	ID      string   `json:"id"`
	From    person   `json:"from"`
	Message *message `json:"message"`
	Data    string   `json:"data"`
}

type update struct {
	ID       int64          `json:"update_id"`
	Message  *message       `json:"message"`
	Callback *callbackQuery `json:"callback_query"`
}

// button does one of two things: it tells the bot Data, or opens URL.
type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"` // at most 64 bytes
	URL  string `json:"url,omitempty"`
}

type keyboard struct {
	Rows [][]button `json:"inline_keyboard"`
}

// call is one request to the Bot API.
type call struct {
	method string
	params map[string]any
}

func send(chatID int64, text string, rows ...[]button) call {
	params := map[string]any{"chat_id": chatID, "text": text}
	if len(rows) > 0 {
		params["reply_markup"] = keyboard{rows}
	}
	return call{"sendMessage", params}
}

// protected keeps a message from being forwarded or saved by Telegram's own means.
func (c call) protected() call {
	c.params["protect_content"] = true
	return c
}

// prompt makes the person's next message an answer to this one, unless they choose otherwise.
func (c call) prompt(hint string) call {
	c.params["reply_markup"] = map[string]any{"force_reply": true, "input_field_placeholder": hint}
	return c
}

// inTopic sends a message to a topic of a group.
func (c call) inTopic(threadID int64) call {
	c.params["message_thread_id"] = threadID
	return c
}

// react puts an emoji under a message, which notifies nobody.
func react(m *message, emoji string) call {
	return call{"setMessageReaction", map[string]any{
		"chat_id": m.Chat.ID, "message_id": m.ID, "reaction": []map[string]any{{"type": "emoji", "emoji": emoji}},
	}}
}

// replyTo makes a message the answer to another one.
func (c call) replyTo(m *message) call {
	c.params["reply_parameters"] = map[string]any{"message_id": m.ID, "allow_sending_without_reply": true}
	return c
}

// edit puts another text in the place of a message and takes its buttons away.
func edit(m *message, text string) call {
	return call{"editMessageText", map[string]any{"chat_id": m.Chat.ID, "message_id": m.ID, "text": text}}
}

// answerCallback ends the waiting that a pressed button shows.
func answerCallback(id, text string) call {
	return call{"answerCallbackQuery", map[string]any{"callback_query_id": id, "text": text}}
}

// refusal is what the Bot API answers instead of a result.
type refusal struct {
	Code        int    `json:"error_code"`
	Description string `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"` // seconds
	} `json:"parameters"`
}

func (r *refusal) Error() string {
	return fmt.Sprintf("Telegram answers %d: %s", r.Code, r.Description)
}

// pause gives how long Telegram wants to be left alone; 0: it does not say so.
func (r *refusal) pause() time.Duration {
	if r.Code != http.StatusTooManyRequests {
		return 0
	}
	return max(time.Second, time.Duration(r.Parameters.RetryAfter)*time.Second)
}

// says tells whether the description has one of the parts, in whatever case.
func (r *refusal) says(parts ...string) bool {
	description := strings.ToLower(r.Description)
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(description, part) })
}

// askPatiently is ask that waits as long as Telegram wants where it is asked too often, unless ctx ends before.
func (b *Bot) askPatiently(ctx context.Context, token string, c call, result any) error {
	for {
		err := b.ask(ctx, token, c, result)
		no := new(refusal)
		if !errors.As(err, &no) || no.pause() == 0 {
			return err
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < no.pause() {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(no.pause()):
		}
	}
}

const (
	callTime  = 10 * time.Second
	maxAnswer = 4 << 20
)

// ask makes a call and reads its result. Errors never hold the token, which is part of the address.
func (b *Bot) ask(ctx context.Context, token string, c call, result any) error {
	body, err := json.Marshal(c.params)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.api+"/bot"+token+"/"+c.method, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: the address of the Bot API is not valid", c.method)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := b.client.Do(req)
	if err != nil {
		if where := new(url.Error); errors.As(err, &where) {
			err = where.Err
		}
		return fmt.Errorf("%s: %w", c.method, err)
	}
	defer res.Body.Close()
	var answer struct {
		OK     bool            `json:"ok"`
		Result json.RawMessage `json:"result"`
		refusal
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&answer); err != nil {
		return fmt.Errorf("%s: Telegram answers %s, which is not its JSON: %w", c.method, res.Status, err)
	}
	if !answer.OK {
		return fmt.Errorf("%s: %w", c.method, &answer.refusal)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}
