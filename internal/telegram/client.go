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
	ID   int64   `json:"message_id"`
	From *person `json:"from"`
	Chat chat    `json:"chat"`
	Text string  `json:"text"`
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
}

func (r *refusal) Error() string {
	return fmt.Sprintf("Telegram answers %d: %s", r.Code, r.Description)
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
