package shop

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/service"
)

// ErrEnded is the fault of a change or refund of a service that runs no more.
var ErrEnded = fault.Conflict("service_ended", "该服务已结束", "This service has ended")

// running returns the user's service, which must run still.
func (s *Shop) running(ctx context.Context, idb bun.IDB, userID, serviceID int64) (*service.Service, error) {
	v, err := s.services.GetIn(ctx, idb, userID, serviceID)
	if err == nil && !v.Running(s.db.Now()) {
		err = ErrEnded
	}
	return &v, err
}
