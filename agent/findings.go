package main

import (
	"fmt"
	"strings"
	"unicode"

	"airstrip/agent/internal/run"
)

// printFindings prints each finding on a line of its own and returns how many are bad.
func printFindings(findings []run.Finding) (bad int) {
	for _, f := range findings {
		fmt.Println(formatFinding(f))
		if f.Wrong != "" {
			bad++
		}
	}
	return bad
}

// formatFinding removes control characters: names and messages come from the server and are printed to root's terminal.
func formatFinding(f run.Finding) string {
	text := "ok   " + f.What
	switch {
	case f.Wrong != "":
		text = "bad  " + f.What + ": " + f.Wrong
	case f.Note != "":
		text = "note " + f.What + ": " + f.Note
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\n", "; "))
}
