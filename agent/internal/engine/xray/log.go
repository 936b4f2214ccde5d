package xray

import (
	"context"
	"log/slog"

	"github.com/xtls/xray-core/common/log"
	"github.com/xtls/xray-core/common/serial"
)

// routeLog sends xray's warnings and errors to log. Lower levels name users and their destinations and are dropped.
func routeLog(to *slog.Logger) { log.RegisterHandler(logBridge{to}) }

type logBridge struct{ log *slog.Logger }

func (b logBridge) Handle(msg log.Message) {
	general, ok := msg.(*log.GeneralMessage)
	if !ok {
		return
	}
	level := slog.LevelWarn
	switch general.Severity {
	case log.Severity_Error:
		level = slog.LevelError
	case log.Severity_Warning:
	default:
		return
	}
	b.log.Log(context.Background(), level, "xray", "message", serial.Concat(general.Content))
}
