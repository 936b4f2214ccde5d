package cli

import (
	"testing"

	"github.com/alecthomas/kong"

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
