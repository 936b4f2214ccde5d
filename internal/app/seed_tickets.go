package app

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/ticket"
)

// tickets has the demo's user make an invite code, and talk with the admin: about a question that is answered, and
// about one that waits.
func (s *seeder) tickets(ctx context.Context) error {
	user, admin := s.out.User.ID, s.out.Admin.ID
	if _, err := s.Invites.AddCode(ctx, user, "fast-lane", "论坛"); err != nil {
		return err
	}
	s.at(s.now.AddDate(0, 0, -6))
	files, err := s.uploads(ctx, user)
	if err != nil {
		return err
	}
	solved, err := s.Tickets.Open(ctx, user, ticket.Draft{
		Title: "手机连不上香港节点", Category: ticket.Connection,
		Content: "昨晚开始，**iPhone** 上连不上香港 01，一直提示超时：\n\n```\nERR_TIMED_OUT\n```\n\n电脑正常。",
		Files:   files,
	})
	if err != nil {
		return err
	}
	id := solved.UUID.String()
	s.at(s.now.AddDate(0, 0, -6).Add(40 * time.Minute))
	if _, err := s.Tickets.Answer(ctx, admin, id, ticket.Answer{
		Content: "你好！请按下面的步骤试一下：\n\n1. 在客户端里更新订阅；\n2. 关闭「按需连接」后重新连接。\n\n如果仍然超时，请告诉我们客户端的版本。",
	}); err != nil {
		return err
	}
	s.at(s.now.AddDate(0, 0, -5))
	if _, err := s.Tickets.Send(ctx, user, id, "更新订阅后就好了，谢谢！"); err != nil {
		return err
	}
	if _, err := s.Tickets.Answer(ctx, admin, id, ticket.Answer{
		Content: "不客气，祝使用愉快。", State: ticket.Resolved,
	}); err != nil {
		return err
	}
	s.at(s.now.Add(-3 * time.Hour))
	waiting, err := s.Tickets.Open(ctx, user, ticket.Draft{
		Title: "年付可以开发票吗？", Category: ticket.Billing, Content: "我想给公司报销，需要发票抬头和税号。",
	})
	if err != nil {
		return err
	}
	s.at(s.now.Add(-2 * time.Hour))
	if _, err := s.Tickets.Answer(ctx, admin, waiting.UUID.String(), ticket.Answer{
		Content: "可以。请在「账单」页打开对应的账单，把抬头和税号回复在这里。",
	}); err != nil {
		return err
	}
	_, err = s.Tickets.SetCannedAnswer(ctx, ticket.CannedAnswer{
		Name:      "更新订阅",
		ContentZH: "{{name}}，你好！请在客户端里更新订阅后再试一次；仍有问题请直接回复本工单 #{{ticket_no}}。",
		ContentEN: "Hello {{name}}! Please update the subscription in your client and try again; if it still fails, " +
			"just answer in this ticket, #{{ticket_no}}.",
	})
	return err
}

// uploads uploads what the demo's user sends with a ticket: a picture and a log.
func (s *seeder) uploads(ctx context.Context, user int64) (ids []string, err error) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, screenOfPhone()); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"screenshot.png", picture.Bytes()},
		{"client.log", []byte("21:04:11 [Info] proxy group: 香港 01\n21:04:16 [Warn] dial hk.example:443: i/o timeout\n" +
			"21:04:21 [Warn] dial hk.example:443: i/o timeout\n")},
	} {
		made, err := s.Tickets.Upload(ctx, user, uuid.New(), f.name, f.data)
		if err != nil {
			return nil, err
		}
		ids = append(ids, made.UUID.String())
	}
	return ids, nil
}

// screenOfPhone draws what a client shows that does not connect: a list of nodes, one of them in red.
func screenOfPhone() image.Image {
	screen := image.NewRGBA(image.Rect(0, 0, 390, 520))
	fill := func(x, y, width, height int, c color.RGBA) {
		draw.Draw(screen, image.Rect(x, y, x+width, y+height), image.NewUniform(c), image.Point{}, draw.Src)
	}
	var (
		back, card = color.RGBA{243, 244, 246, 255}, color.RGBA{255, 255, 255, 255}
		ink, quiet = color.RGBA{31, 41, 55, 255}, color.RGBA{156, 163, 175, 255}
		red, green = color.RGBA{220, 38, 38, 255}, color.RGBA{22, 163, 74, 255}
	)
	fill(0, 0, 390, 520, back)
	fill(0, 0, 390, 72, color.RGBA{13, 92, 113, 255})
	fill(24, 28, 150, 16, card)
	for i := range 5 {
		y, state := 96+i*82, green
		if i == 0 {
			state = red
		}
		fill(16, y, 358, 66, card)
		fill(32, y+16, 120, 12, ink)
		fill(32, y+38, 190, 8, quiet)
		fill(332, y+24, 18, 18, state)
	}
	return screen
}
