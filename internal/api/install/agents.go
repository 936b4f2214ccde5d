package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/limit"
)

// ErrNoAgent is the fault for a binary that is not next to the server's.
var ErrNoAgent = fault.NotFound("agent_not_found", "服务器上没有该架构的节点程序",
	"This server has no node agent for that architecture")

var architectures = []string{"amd64", "arm64"}

const binaryPrefix = "airstrip-node-linux-" // Followed by the architecture.

// Agents are the agent's binaries and the commands that install them.
type Agents struct {
	dir, site  string
	perAddress *limit.Limiter
	mu         sync.Mutex
	sums       map[string]sum // By file name.
}

type sum struct {
	of  os.FileInfo
	hex string
}

// New serves the binaries in dir: airstrip-node-linux-amd64 and -arm64, or airstrip-node for the server's own
// architecture. site is the server's address without a trailing slash.
func New(dir, site string) *Agents {
	return &Agents{dir: dir, site: site, perAddress: limit.Per(time.Hour, 30), sums: map[string]sum{}}
}

// Line returns a command for root's shell on a node's machine that installs the agent. Without a binary to serve, agent
// and unit must already be installed, and the command configures them.
func (a *Agents) Line(node int64, secret string) string {
	var sums strings.Builder
	for _, arch := range architectures {
		file, sum, err := a.open(arch)
		if err == nil {
			file.Close()
			fmt.Fprintf(&sums, " %s=%s", arch, sum)
		} else if !errors.Is(err, ErrNoAgent) {
			slog.Error("a node agent cannot be given away", "architecture", arch, "error", err)
		}
	}
	site, key := shellQuote(a.site), shellQuote(secret)
	if sums.Len() == 0 {
		return fmt.Sprintf("umask 077 && printf %%s %s >/etc/airstrip-node.secret && printf "+
			"'AIRSTRIP_NODE_SERVER=%%s\\nAIRSTRIP_NODE_ID=%%s\\n' %s %d >/etc/airstrip-node.env && systemctl "+
			"enable --now airstrip-node && systemctl restart airstrip-node", key, site, node)
	}
	return fmt.Sprintf("curl -fsS %s | AIRSTRIP_NODE_SECRET=%s sh -s -- %s %d%s",
		shellQuote(a.site+"/node/install.sh"), key, site, node, sums.String())
}

// shellQuote quotes a word for the shell.
func shellQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// open opens the binary for an architecture and returns its checksum.
func (a *Agents) open(arch string) (*os.File, string, error) {
	names := []string{binaryPrefix + arch}
	if runtime.GOOS == "linux" && runtime.GOARCH == arch {
		names = append(names, "airstrip-node")
	}
	for _, name := range names {
		file, err := os.Open(filepath.Join(a.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, "", err
		}
		sum, err := a.sum(file)
		if err != nil {
			return nil, "", errors.Join(err, file.Close())
		}
		return file, sum, nil
	}
	return nil, "", ErrNoAgent
}

// sum returns the checksum of a file, and reads it again only if it has changed.
func (a *Agents) sum(file *os.File) (string, error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.sums[file.Name()]
	if ok && os.SameFile(known.of, info) && known.of.Size() == info.Size() && known.of.ModTime().Equal(info.ModTime()) {
		return known.hex, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	known = sum{info, hex.EncodeToString(hash.Sum(nil))}
	a.sums[file.Name()] = known
	return known.hex, nil
}
