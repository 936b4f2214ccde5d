package main

import "errors"

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

// offset is a flag that says how many rows of a list to leave out.
type offset int64

func (o offset) Validate() error {
	if o < 0 {
		return errors.New("must not be negative")
	}
	return nil
}
