package mail

import "time"

// AuditFault tells staff that the audit log was tampered with, so that it is sealed no more.
type AuditFault struct{ At time.Time }

func (c AuditFault) fill(v *values) { v.time("time", c.At) }

func (AuditFault) kind() string { return "audit_fault" }
