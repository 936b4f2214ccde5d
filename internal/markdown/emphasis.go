package markdown

import (
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// emphasis reads * and _ as CommonMark does, but where a Chinese, Japanese or Korean character stands beside them:
// CommonMark wants a space between `**注意：**` and the next word, which those languages do not write. The rule is that of
// https://github.com/tats-u/markdown-cjk-friendly, which the web app follows too.
type emphasis struct{}

func (emphasis) Trigger() []byte         { return []byte{'*', '_'} }
func (emphasis) IsDelimiter(b byte) bool { return b == '*' || b == '_' }
func (emphasis) OnMatch(n int) ast.Node  { return ast.NewEmphasis(n) }
func (emphasis) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (e emphasis) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	length := 1
	for length < len(line) && line[length] == line[0] {
		length++
	}
	after := ' '
	if length < len(line) {
		after = util.ToRune(line, length)
	}
	left, right := kindOf(before), kindOf(after)
	isLeft := right != space && (right != mark || left != word)
	isRight := left != space && (left != mark || right != word)
	canOpen, canClose := isLeft, isRight
	if line[0] == '_' { // within words it is a letter
		canOpen = isLeft && (!isRight || util.IsPunctRune(before))
		canClose = isRight && (!isLeft || util.IsPunctRune(after))
	}
	node := parser.NewDelimiter(canOpen, canClose, length, line[0], e)
	node.Segment = segment.WithStop(segment.Start + length)
	block.Advance(length)
	pc.PushDelimiter(node)
	return node
}

// character is what stands beside a run of delimiters, as far as the rule tells it apart.
type character int

const (
	word  character = iota // any other
	space                  // whitespace, or the end of a line
	mark                   // punctuation of other languages
	wide                   // of Chinese, Japanese or Korean, punctuation too
)

func kindOf(r rune) character {
	switch {
	case util.IsSpaceRune(r):
		return space
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo),
		0x3000 <= r && r <= 0x303F, 0xFF00 <= r && r <= 0xFFEF:
		return wide
	case util.IsPunctRune(r):
		return mark
	}
	return word
}
