package mail

import (
	"fmt"
	"strings"

	"airstrip/internal/fault"
)

// TrafficAnomalies tells staff of days of users and nodes that are far beyond their usual, or beyond the
// node's interface.
type TrafficAnomalies struct {
	Days []TrafficAnomaly
	More int // that are not among Days
}

// TrafficAnomaly is one of these days.
type TrafficAnomaly struct {
	IsNode       bool
	IsInterface  bool // Usual is what the node's interface carried
	ID           int64
	Name         string // of the node, or the user's e-mail address; empty: it is gone
	Day          string // as 2026-01-31
	Bytes, Usual int64
}

func (c TrafficAnomalies) fill(v *values) {
	var plain, html strings.Builder
	for _, day := range c.Days {
		line := day.line(v.lang)
		plain.WriteString("- " + line + "\n")
		html.WriteString("<li>" + escape(line) + "</li>")
	}
	v.block("anomalies", plain.String(), "<ul>"+html.String()+"</ul>")
	v.need("anomalies")
	v.text("more_note", "")
	if c.More > 0 {
		v.say("more_note", fmt.Sprintf("另有 %d 个，可在后台的“异常”页查看。", c.More),
			fmt.Sprintf("and %d more, which the console shows under Anomalies.", c.More))
	}
}

// line says what is unusual about the day.
func (a TrafficAnomaly) line(lang fault.Lang) string {
	who := fault.Text{ZH: "用户", EN: "user"}
	if a.IsNode {
		who = fault.Text{ZH: "节点", EN: "node"}
	}
	usual := fault.Text{ZH: "平时每天 %s", EN: "usually %s a day"}
	if a.IsInterface {
		usual = fault.Text{ZH: "但其网卡只传输了 %s", EN: "but its interface carried %s"}
	}
	return fmt.Sprintf(fault.Text{ZH: "%s，%s %d %s：目前 %s，", EN: "%s, %s %d %s: %s so far, "}.In(lang),
		a.Day, who.In(lang), a.ID, a.Name, gigabytes(a.Bytes)) + fmt.Sprintf(usual.In(lang), gigabytes(a.Usual))
}

func gigabytes(bytes int64) string { return fmt.Sprintf("%.2f GB", float64(bytes)/(1<<30)) }

func (TrafficAnomalies) kind() string { return "traffic_anomalies" }
