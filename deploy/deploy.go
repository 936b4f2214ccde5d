// Package deploy carries the files that a node's machine is set up with inside the server's binary.
package deploy

import _ "embed" // fills the variables

// InstallNode is the script that installs the node agent.
//
//go:embed install-node.sh
var InstallNode []byte

// NodeUnit is the node agent's unit for systemd.
//
//go:embed airstrip-node.service
var NodeUnit []byte
