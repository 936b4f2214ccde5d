package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"airstrip/internal/announcement"
	"airstrip/internal/app"
	"airstrip/internal/fault"
)

type announcementCommand struct {
	Add    announcementAdd    `cmd:"" help:"Announce something to users."`
	List   announcementList   `cmd:"" help:"List the announcements as JSON, the newest first."`
	Change announcementChange `cmd:"" help:"Change an announcement; what is not given stays as it is."`
	Remove announcementRemove `cmd:"" help:"Remove an announcement."`

	Broadcast announcementBroadcast `cmd:"" help:"Send an announcement to its audience by mail or Telegram."`
}

// announcementFields are the parts of an announcement that both add and change take.
type announcementFields struct {
	Type     *string `help:"index_ann: in the list; pop_up_ann: also a dialog that each user sees once; maintenance: also a strip on every page."`
	TitleZH  *string `name:"title-zh" help:"The title in Chinese; empty: the title."`
	TitleEN  *string `name:"title-en" help:"The title in English; empty: the title."`
	Body     *string `help:"The text in Markdown; @FILE reads it from a file, @- from the input." placeholder:"TEXT"`
	BodyZH   *string `name:"body-zh" help:"The text in Chinese; empty: the text."`
	BodyEN   *string `name:"body-en" help:"The text in English; empty: the text."`
	From     *string `help:"From when on it is shown, as 2026-12-01T00:00:00Z; of a new one now by default."`
	Until    *string `help:"Until when; empty: until it is removed."`
	Pinned   *bool   `help:"Whether it stands before others." negatable:""`
	Audience *string `help:"all: guests too; plan, class or group: users who have one of --ids."`
	IDs      *string `name:"ids" help:"Numbers of the plans, classes or node groups, as 1,2."`
}

func (f announcementFields) change() (func(*announcement.Announcement), error) {
	from, err1 := parsed("from", f.From, moment)
	until, err2 := parsed("until", f.Until, moment)
	ids, err3 := parsed("ids", f.IDs, numbers[int64])
	body, err4 := fromFile(f.Body)
	bodyZH, err5 := fromFile(f.BodyZH)
	bodyEN, err6 := fromFile(f.BodyEN)
	return func(one *announcement.Announcement) {
		if f.Type != nil {
			one.Type = announcement.Type(*f.Type)
		}
		if f.Audience != nil {
			one.Audience, one.AudienceIDs = announcement.Audience(*f.Audience), nil
		}
		one.Titles = one.Titles.With(fault.ZH, f.TitleZH).With(fault.EN, f.TitleEN)
		one.Bodies = one.Bodies.With(fault.ZH, bodyZH).With(fault.EN, bodyEN)
		set(&one.Body, body)
		set(&one.StartsAt, from)
		set(&one.Pinned, f.Pinned)
		set(&one.AudienceIDs, ids)
		if until != nil {
			one.EndsAt = unless(*until, time.Time{})
		}
	}, errors.Join(err1, err2, err3, err4, err5, err6)
}

// fromFile gives the text of a flag, or of the file that it names after an @.
func fromFile(flag *string) (*string, error) {
	if flag == nil || len(*flag) < 2 || (*flag)[0] != '@' {
		return flag, nil
	}
	var text []byte
	var err error
	if name := (*flag)[1:]; name == "-" {
		text, err = io.ReadAll(os.Stdin)
	} else {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the text: %w", err)
	}
	return new(string(text)), nil
}

type announcementAdd struct {
	Title string `arg:"" help:"The title, for readers in whose language there is no other."`
	announcementFields
}

func (c announcementAdd) Run(ctx context.Context, cfg *app.Config) error {
	change, err := c.change()
	if err != nil {
		return err
	}
	return show(ctx, cfg, func(a *app.App) (any, error) {
		one := announcement.Announcement{
			Type: announcement.Index, Title: c.Title, Audience: announcement.ForAll,
		}
		change(&one)
		return a.Announcements.Add(ctx, one)
	})
}

type announcementList struct {
	part
}

func (c announcementList) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		list, total, err := a.Announcements.List(ctx, int64(c.Limit), int64(c.Offset))
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"total": total, "announcements": append([]announcement.Listed{}, list...)})
	})
}

type announcementChange struct {
	ID    int64   `arg:"" help:"Number of the announcement, as the list has it."`
	Title *string `help:"The title, for readers in whose language there is no other."`
	announcementFields
	Again bool `help:"Show it again to those who have seen it."`
}

func (c announcementChange) Run(ctx context.Context, cfg *app.Config) error {
	change, err := c.change()
	if err != nil {
		return err
	}
	return show(ctx, cfg, func(a *app.App) (any, error) {
		return a.Announcements.Change(ctx, c.ID, c.Again, func(one *announcement.Announcement) {
			set(&one.Title, c.Title)
			change(one)
		})
	})
}

type announcementRemove struct {
	ID int64 `arg:"" help:"Number of the announcement, as the list has it."`
}

func (c announcementRemove) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error { return a.Announcements.Remove(ctx, c.ID) })
}

type announcementBroadcast struct {
	Start broadcastStart `cmd:"" help:"Begin to send an announcement, or go on where it was stopped; each user gets it once."`
	List  broadcastList  `cmd:"" help:"Show as JSON how far the sending of an announcement is."`
	Stop  broadcastStop  `cmd:"" help:"Stop the sending of an announcement."`
}

type broadcastStart struct {
	ID int64  `arg:"" help:"Number of the announcement, as the list has it."`
	By string `enum:"mail,telegram" default:"mail" help:"mail or telegram. The setting broadcast_per_minute is the rate."`
}

func (c broadcastStart) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		return a.Broadcasts.Start(ctx, c.ID, announcement.Channel(c.By), "")
	})
}

type broadcastList struct {
	ID int64 `arg:"" help:"Number of the announcement, as the list has it."`
}

func (c broadcastList) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) { return a.Broadcasts.List(ctx, c.ID) })
}

type broadcastStop struct {
	ID int64  `arg:"" help:"Number of the announcement, as the list has it."`
	By string `enum:"mail,telegram" default:"mail" help:"mail or telegram."`
}

func (c broadcastStop) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		return a.Broadcasts.Stop(ctx, c.ID, announcement.Channel(c.By))
	})
}
