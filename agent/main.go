// Command airstrip-node serves one or more nodes of Airstrip services.
package main

import (
	"fmt"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// version is set by the linker.
var version = "dev"

type commands struct {
	Run     runCommand     `cmd:"" help:"Serve until stopped."`
	Check   checkCommand   `cmd:"" help:"Try the server, the secret, the clock, the certificate, the ports and the data folder, without serving."`
	Status  statusCommand  `cmd:"" help:"Say how the agent stands, and what is wrong with it."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

type versionCommand struct{}

// Run prints the version and, if the build recorded it, the revision.
func (versionCommand) Run() error {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	_, err := fmt.Println("airstrip-node " + version + revision)
	return err
}

func main() {
	ctx := kong.Parse(new(commands), kong.Name("airstrip-node"), kong.UsageOnError(),
		kong.Description("The agent that runs on a node: it proxies for the users of the service and reports what "+
			"they used."))
	ctx.FatalIfErrorf(ctx.Run())
}
