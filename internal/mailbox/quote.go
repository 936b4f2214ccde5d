package mailbox

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"airstrip/internal/mail"
)

// attributions begin what programs quote below an answer.
var attributions = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^on .{4,200} wrote:$`),
	regexp.MustCompile(`^在?.{4,200}(写道|寫道)\s*[：:]$`),
	regexp.MustCompile(`(?i)^-{2,}\s*(original message|forwarded message|原始邮件|原始郵件|原邮件|转发邮件)\s*-{2,}$`),
	regexp.MustCompile(`(?i)^_{20,}$`),
	regexp.MustCompile(`(?i)^(from|发件人|寄件者)\s*[：:].*@`),
}

// answerOf gives what the writer of a mail wrote themselves: without what is quoted below it, and without a signature.
func answerOf(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if before, _, ok := strings.Cut(text, mail.ReplyMark); ok {
		text = before
	}
	lines := strings.Split(text, "\n")
	end := len(lines)
	for i, line := range lines {
		if line == "-- " || attributed(lines, i) {
			end = i
			break
		}
	}
	lines = lines[:end]
	for len(lines) > 0 {
		last := strings.TrimSpace(lines[len(lines)-1])
		if last != "" && !strings.HasPrefix(last, ">") {
			break
		}
		lines = lines[:len(lines)-1]
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// attributed tells whether a line says whose words follow. Programs break it into two.
func attributed(lines []string, i int) bool {
	line := strings.TrimSpace(strings.TrimLeft(lines[i], "> "))
	if i+1 < len(lines) {
		if next := strings.TrimSpace(strings.TrimLeft(lines[i+1], "> ")); next != "" && matchesAny(line+" "+next) &&
			!matchesAny(next) {
			return true
		}
	}
	return matchesAny(line)
}

func matchesAny(line string) bool {
	for _, a := range attributions {
		if a.MatchString(line) {
			return true
		}
	}
	return false
}

var spaces = regexp.MustCompile(`[ \t\r\n]+`)

// breaks are the elements that begin a line.
var breaks = map[string]bool{
	"br": true, "p": true, "div": true, "li": true, "tr": true, "h1": true, "h2": true, "h3": true, "ul": true, "ol": true,
	"pre": true, "table": true,
}

// plainOf gives the text of a mail that has HTML alone, without what it quotes.
func plainOf(source string) string {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return ""
	}
	var out strings.Builder
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		switch n.Type {
		case html.TextNode:
			out.WriteString(spaces.ReplaceAllString(n.Data, " "))
			return
		case html.ElementNode:
			switch n.Data {
			case "script", "style", "head", "title", "blockquote":
				return
			}
			for _, a := range n.Attr {
				if a.Key == "class" && strings.Contains(a.Val, "gmail_quote") || a.Key == "id" && a.Val == "divRplyFwdMsg" {
					return
				}
			}
			if breaks[n.Data] {
				out.WriteByte('\n')
			}
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			visit(child)
		}
	}
	visit(root)
	return strings.TrimSpace(out.String())
}
