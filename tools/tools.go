//go:build tools

// Package tools pins the programs that check the code. They are built into .tools, outside of the server's module.
package tools

import _ "mvdan.cc/gofumpt"
