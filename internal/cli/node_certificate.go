package cli

import (
	"context"
	"os"
	"path/filepath"

	"airstrip/internal/app"
)

type nodeCertificate struct {
	ID  int64  `arg:"" help:"Number of the node, as the list has it."`
	Dir string `help:"Folder to write it into, under the names that v2node and ppanel-node look for; without it, it is printed as JSON."`
}

func (c nodeCertificate) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		cert, err := a.Nodes.Certificate(ctx, c.ID)
		if err != nil {
			return err
		}
		if c.Dir == "" {
			return printJSON(cert)
		}
		files := map[string]string{cert.CertificateFile: cert.Certificate, cert.KeyFile: cert.Key}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o600); err != nil {
				return err
			}
		}
		return printJSON(map[string]any{
			"server_name": cert.ServerName, "pin": cert.Pin, "expires_at": cert.ExpiresAt,
			"certificate": filepath.Join(c.Dir, cert.CertificateFile), "key": filepath.Join(c.Dir, cert.KeyFile),
		})
	})
}
