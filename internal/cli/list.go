package cli

import (
	"context"
	"errors"

	"airstrip/internal/app"
)

// rows is a flag that says how many rows a list has at most, hours one that says how far back it goes.
type (
	rows  int64
	hours int64
)

func (n rows) Validate() error {
	if n < 1 {
		return errors.New("must be at least 1")
	}
	return nil
}

// Validate keeps to what the staff API takes, too: nothing that is asked for by hours is kept for longer.
func (h hours) Validate() error {
	if h < 1 || h > 2160 {
		return errors.New("must be between 1 and 2160")
	}
	return nil
}

// part is which part of a long list is printed.
type part struct {
	Limit  rows   `help:"How many at most." default:"100"`
	Offset offset `help:"How many to leave out." default:"0"`
}

// offset is a flag that says how many rows of a list to leave out.
type offset int64

func (o offset) Validate() error {
	if o < 0 {
		return errors.New("must not be negative")
	}
	return nil
}

// show prints what find gives as JSON.
func show(ctx context.Context, cfg *app.Config, find func(*app.App) (any, error)) error {
	return open(ctx, cfg, func(a *app.App) error {
		found, err := find(a)
		if err != nil {
			return err
		}
		return printJSON(found)
	})
}

// all returns the rows of a list that also says how many there are.
func all[T any](rows []T, _ int64, err error) ([]T, error) { return rows, err }
