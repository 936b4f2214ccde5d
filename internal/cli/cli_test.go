package cli

import (
	"testing"

	"github.com/alecthomas/kong"

	"airstrip/internal/dberr"
	"airstrip/internal/permission"
)

func TestPermissionAreas_NameCommandsThatThereAre(t *testing.T) {
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	for _, node := range parser.Model.Children {
		commands[node.Name] = true
	}
	for _, area := range permission.Areas {
		for _, name := range area.Commands {
			if !commands[name] {
				t.Errorf("the area %s names the command %s, which there is none of", area.Name.EN, name)
			}
		}
	}
}

func TestErrorText_AfterACommit_DoesNotSayThatNothingWasSaved(t *testing.T) {
	lost := dberr.ErrUnreachable.Because(nil)
	ctx := dberr.TrackCommits(t.Context())
	if got := errorText(ctx, lost); got != dberr.ErrUnreachable.Text.EN {
		t.Error(got)
	}
	dberr.NoteCommit(dberr.TrackCommits(ctx)) // As of the opening of the site.
	if got := errorText(ctx, lost); got != dberr.ErrUnreachable.Text.EN {
		t.Errorf("after a commit that is not the command's: %s", got)
	}
	dberr.NoteCommit(ctx)
	if got := errorText(ctx, lost); got != dberr.ErrOutcomeUnknown.Text.EN {
		t.Errorf("after a commit: %s", got)
	}
}
