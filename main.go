// Command airstrip is a self-hosted service for selling and running network acceleration: accounts, a shop with a
// wallet, nodes, subscription links, and the web app for all of it, in one binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"airstrip/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx)
	stop()
	os.Exit(code)
}
