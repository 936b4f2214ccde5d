package main

import (
	"fmt"
	"strings"
	"unicode"

	"airstrip/agent/internal/run"
)

// printFindings prints findings, each on a line, and answers how many of them are bad.
func printFindings(findings []run.Finding) (bad int) {
	for _, f := range findings {
		fmt.Println(formatFinding(f))
		if f.Wrong != "" {
			bad++
		}
	}
	return bad
}

// formatFinding leaves out what a terminal takes for a command: names and messages are the server's.
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
