package account

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// The largest file of users. All of its lines are added in one transaction, which must end within its deadline and
// keeps other writers waiting meanwhile.
const (
	MaxImportLines = 10_000
	MaxImportBytes = 4_000_000
)

// The columns of a file of users that are read, and those without which it cannot be.
var (
	readColumns   = []string{"email", "name", "hash", "kind", "salt"}
	neededColumns = []string{"email", "hash"}
)

// UserFile is a file of another panel's users that was read.
type UserFile struct {
	Wrong []WrongLine // what keeps its lines from being imported, in their order
	users []fileUser  // of the lines in which nothing is wrong
}

// WrongLine is one thing that is wrong in a file of users.
type WrongLine struct {
	Line  int    // from 1; the first one names the columns
	Field string // email, name, hash, kind or salt; line where the line itself cannot be read
	Text  fault.Text
}

// fileUser is a user as a line of the file has them.
type fileUser struct {
	row  row
	hash foreignHash
}

// ReadUserFile reads a CSV file whose first line names the columns email and hash and, where there are any, name, kind
// and salt; others are ignored. A user without a name is called by the address up to the @. What is wrong in single
// lines is in Wrong; a file that cannot be read at all is a fault of the field csv.
func ReadUserFile(content string) (*UserFile, error) {
	switch {
	case len(content) > MaxImportBytes:
		return nil, fault.Invalid("csv", "too_large", fmt.Sprintf("文件超过 %d MB，请拆分后再导入", MaxImportBytes/1_000_000),
			fmt.Sprintf("The file is larger than %d MB; please divide it", MaxImportBytes/1_000_000))
	case !text.IsStorable(content):
		line := firstUnstorableLine(content)
		return nil, fault.Invalid("csv", "encoding", fmt.Sprintf("文件不是 UTF-8 文本：第 %d 行有无法保存的字符", line),
			fmt.Sprintf("The file is no text in UTF-8: line %d has a character that cannot be stored", line))
	}
	// Spreadsheets begin a file with a byte order mark. The number of columns is checked by readLine, so that all lines
	// of another length are named.
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(content, "\ufeff")))
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil {
		return nil, fault.Invalid("csv", "head", "文件的第一行须为列名", "The first line of the file must name the columns")
	}
	for i := range head {
		head[i] = strings.ToLower(strings.TrimSpace(head[i]))
	}
	for _, name := range neededColumns {
		if !slices.Contains(head, name) {
			return nil, fault.Invalid("csv", "head", "文件的第一行没有列 "+name,
				"The first line of the file names no column "+name)
		}
	}
	for _, name := range readColumns {
		if at := slices.Index(head, name); at >= 0 && slices.Contains(head[at+1:], name) {
			return nil, fault.Invalid("csv", "head", "文件的第一行有两个列 "+name,
				"The first line of the file names the column "+name+" twice")
		}
	}
	f := &UserFile{}
	if err := f.readLines(r, head); err != nil {
		return nil, err
	}
	return f, nil
}

// firstUnstorableLine returns the number of the first line that cannot be stored.
func firstUnstorableLine(content string) int {
	line := 1
	for part := range strings.Lines(content) {
		if !text.IsStorable(part) {
			break
		}
		line++
	}
	return line
}

func (f *UserFile) readLines(r *csv.Reader, head []string) error {
	lineOf := map[string]int{}
	for count := 0; ; count++ {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && count == 0:
			return fault.Invalid("csv", "empty", "文件里没有用户", "The file names no users")
		case errors.Is(err, io.EOF):
			return nil
		case count == MaxImportLines:
			return fault.Invalid("csv", "too_many", fmt.Sprintf("文件超过 %d 行用户，请拆分后再导入", MaxImportLines),
				fmt.Sprintf("The file has more than %d lines of users; please divide it", MaxImportLines))
		}
		if broken := (*csv.ParseError)(nil); errors.As(err, &broken) {
			f.add(broken.StartLine, *field("line", "quotes", "该行的引号有误，其后的行未读取",
				"The quotes of this line are wrong; the lines after it were not read"))
			return nil
		} else if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		f.readLine(line, head, cells, lineOf)
	}
}

// readLine adds the user of a line, or what is wrong in it. lineOf has the lines of the addresses before.
func (f *UserFile) readLine(line int, head, cells []string, lineOf map[string]int) {
	if len(cells) != len(head) {
		f.add(line, *field("line", "columns", fmt.Sprintf("该行有 %d 列，第一行有 %d 列", len(cells), len(head)),
			fmt.Sprintf("This line has %d columns, the first one has %d", len(cells), len(head))))
		return
	}
	cell := func(name string) string {
		if at := slices.Index(head, name); at >= 0 {
			return cells[at]
		}
		return ""
	}
	before := len(f.Wrong)
	u := fileUser{row: newRow(cell("email"), cell("name"))}
	if u.row.Name == "" {
		u.row.Name = nameOf(u.row.Email)
	}
	err := u.row.checkImported()
	f.addFields(line, err)
	if other, again := lineOf[u.row.Email]; again && err == nil {
		f.add(line, *field("email", "repeated", fmt.Sprintf("与第 %d 行的邮箱相同", other),
			fmt.Sprintf("Line %d has the same address", other)))
	}
	lineOf[u.row.Email] = line
	u.hash, err = readForeignHash(HashKind(strings.TrimSpace(cell("kind"))), strings.TrimSpace(cell("hash")), cell("salt"))
	f.addFields(line, err)
	if len(f.Wrong) == before {
		f.users = append(f.users, u)
	}
}

func (f *UserFile) addFields(line int, err error) {
	if wrong, ok := fault.As(err); ok {
		for _, one := range wrong.Fields {
			f.add(line, one)
		}
	}
}

func (f *UserFile) add(line int, wrong fault.Field) {
	f.Wrong = append(f.Wrong, WrongLine{line, wrong.Name, wrong.Text})
}

// maxNamedLines is how much of what is wrong a fault names.
const maxNamedLines = 100

// Err returns the fault of a file in which something is wrong, whose fields are named as lines.2.email; nil where
// nothing is.
func (f *UserFile) Err() error {
	if len(f.Wrong) == 0 {
		return nil
	}
	var fields []fault.Field
	for _, w := range f.Wrong[:min(len(f.Wrong), maxNamedLines)] {
		fields = append(fields, fault.Field{
			Name: fmt.Sprintf("lines.%d.%s", w.Line, w.Field), Code: "import_line", Text: w.Text,
		})
	}
	return fault.Unprocessable("import_lines_wrong", fmt.Sprintf("文件有 %d 处错误，未导入任何用户", len(f.Wrong)),
		fmt.Sprintf("%d things in the file are wrong, and nobody was imported", len(f.Wrong))).In(fields...)
}
