// Package approval holds the two members' rule. Whatever a member of staff gives that is worth money counts, by its
// worth, into one limit for each member and day of the site. Beyond the limit, and where the member's own account would
// gain, the act waits until a second member approves it. Each act is recorded in the transaction that carries it out.
// What the operator does at the command line is recorded too, and never waits.
package approval

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/role"
	"airstrip/internal/setting"
)

// Kind is a kind of act by which staff gives something worth money.
type Kind string

// The kinds of acts. The comments name what Act.ReferenceID refers to.
const (
	Adjustment    Kind = "adjustment"          // wallet adjustment
	CDKeys        Kind = "cd_keys"             // batch
	Coupon        Kind = "coupon"              // coupon
	PaymentByHand Kind = "payment_by_hand"     // recharge
	RefundByHand  Kind = "refund_by_hand"      // refund of a recharge
	PaymentCase   Kind = "payment_case"        // payment case
	CaseRefund    Kind = "payment_case_refund" // payment case
	Refund        Kind = "recharge_refund"     // refund of a recharge through its gateway
	OrderRefund   Kind = "order_refund"        // refund of an order
	Traffic       Kind = "traffic"             // traffic grant
	ServiceGift   Kind = "service_gift"        // gift of a service
	BulkJob       Kind = "bulk_job"            // job on many users
	OrderByHand   Kind = "order_by_hand"       // order by staff
	AccountMerge  Kind = "account_merge"       // merge of accounts

	CommissionPayout Kind = "commission_payout" // payout of commission outside of the site
)

// Kinds are all kinds of acts.
var Kinds = []Kind{
	Adjustment, AccountMerge, CDKeys, Coupon, PaymentByHand, RefundByHand, PaymentCase, CaseRefund, Refund,
	OrderRefund, Traffic, ServiceGift, BulkJob, CommissionPayout, OrderByHand,
}

// Permission returns what a member needs to make acts of the kind, from the call that makes one until it is approved.
func (k Kind) Permission() permission.Permission {
	switch k {
	case Adjustment:
		return permission.AdjustmentMake
	case CDKeys:
		return permission.CDKeyMake
	case Coupon:
		return permission.CouponWrite
	case PaymentByHand:
		return permission.PaymentConfirm
	case PaymentCase, CaseRefund:
		return permission.CaseDecide
	case RefundByHand, Refund, OrderRefund:
		return permission.Refund
	case Traffic:
		return permission.TrafficGrant
	case BulkJob:
		return permission.UserBulk
	case ServiceGift:
		return permission.ServiceGive
	case OrderByHand:
		return permission.OrderMake
	case CommissionPayout:
		return permission.CommissionPay
	case AccountMerge:
		return permission.UserMerge
	case Decision:
		return permission.ApprovalDecide
	}
	return ""
}

// State is the state of an act.
type State string

// The states of an act. Only a waiting one changes.
const (
	Alone    State = "alone" // within the limit of who made it
	Waiting  State = "waiting"
	Approved State = "approved"
	Declined State = "declined"
)

// Unknown is the worth of an act without a bound. It exceeds every limit.
const Unknown = money.Amount(1<<63 - 1)

// ErrSecondMember is the fault of a decision by somebody who made the act or would gain by it, and of an act that
// waits.
var ErrSecondMember = fault.Forbidden("second_member_needed", "需要另一位工作人员确认",
	"Another member of staff must confirm this")

// ErrNotWaiting is the fault of a decision on an act that does not wait for one.
var ErrNotWaiting = fault.Conflict("approval_not_waiting", "这项操作不在等待确认",
	"This act does not wait for a second member of staff")

// ErrMakerLeft is the fault of approving an act whose maker no longer has the permission for it.
var ErrMakerLeft = fault.Conflict("approval_maker_left", "发起这项操作的人已无权发起；只能拒绝，需要时请重新发起",
	"Who made this may no longer make such things. It can only be declined; make it again where it is needed")

// ErrDeclinedBefore is the fault of a call that names neither the act to approve nor the declined one to repeat.
var ErrDeclinedBefore = fault.Conflict("approval_declined_before", "这项操作曾被拒绝", "This was declined before")

// declinedBefore returns ErrDeclinedBefore with the number to name.
func declinedBefore(id int64) error {
	f, no := *ErrDeclinedBefore, strconv.FormatInt(id, 10)
	f.Text = fault.Text{
		ZH: "这项操作曾被拒绝。确认仍要进行，请指明操作编号 " + no,
		EN: "This was declined before. Name act " + no + " to go on all the same",
	}
	return &f
}

// ErrNoAct is the fault of an act that is not known.
var ErrNoAct = fault.NotFound("approval_not_found", "没有这项操作", "There is no such act")

// Act is something worth money that is about to be given.
type Act struct {
	Kind        Kind
	ReferenceID int64
	MadeBy      *int64 // member of staff; nil: the operator
	Beneficiary int64  // the user whose account gains; 0: nobody in particular
	Worth       money.Amount
	Reason      string // for the audit log
	Gives       any    // what exactly, for the audit log
}

// Grant is an act as it is recorded.
type Grant struct {
	bun.BaseModel `bun:"table:staff_grant"`
	ID            int64 `bun:",pk,autoincrement"`
	Kind          Kind
	ReferenceID   int64
	StaffID       *int64 // nil: the operator
	BeneficiaryID *int64
	Worth         money.Amount
	Day           string // of the site
	State         State
	CreatedAt     time.Time
	DecidedBy     *int64 // nil: nobody, or the operator
	DecidedAt     *time.Time
}

// Approvals decides what members of staff may give alone.
type Approvals struct {
	db       *db.DB
	settings *setting.Settings
	decides  map[Kind]Decider
}

// Decider ends the waiting act on the thing called referenceID, for a second member or, with nil, for the operator.
type Decider func(ctx context.Context, referenceID int64, approve bool, by *int64) error

// New returns the approvals in d.
func New(d *db.DB, settings *setting.Settings) *Approvals {
	return &Approvals{d, settings, map[Kind]Decider{}}
}

// DecidedBy sets the function by which DecideAct ends acts of the kind.
func (a *Approvals) DecidedBy(kind Kind, fn Decider) { a.decides[kind] = fn }

// DecideAct ends the waiting act with this number, and carries it out or drops it.
func (a *Approvals) DecideAct(ctx context.Context, id int64, approve bool, by *int64) error {
	g, err := a.Act(ctx, id)
	if err != nil {
		return err
	}
	if g.State != Waiting {
		return ErrNotWaiting
	}
	return a.decides[g.Kind](ctx, g.ReferenceID, approve, by)
}

// Act returns the act with this number.
func (a *Approvals) Act(ctx context.Context, id int64) (*Grant, error) {
	var found []Grant
	err := a.db.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoAct
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// Lock makes other acts of the member wait until tx ends. A transaction that also locks a wallet calls it first.
func (a *Approvals) Lock(ctx context.Context, tx bun.Tx, staffID *int64) error {
	if staffID == nil {
		return nil
	}
	_, err := a.spend(ctx, tx, *staffID, 0)
	return err
}

// Propose records the act as part of tx and reports whether it takes effect at once. Otherwise it waits for Decide.
// What is proposed again after a second member declined it always waits.
func (a *Approvals) Propose(ctx context.Context, tx bun.Tx, act Act) (alone bool, err error) {
	g := Grant{
		Kind: act.Kind, ReferenceID: act.ReferenceID, StaffID: act.MadeBy, Worth: act.Worth, Day: a.today(),
		State:     Waiting,
		CreatedAt: a.db.Now(),
	}
	if act.Beneficiary != 0 {
		g.BeneficiaryID = &act.Beneficiary
	}
	before, err := declined(ctx, tx, act.Kind, act.ReferenceID)
	if err != nil {
		return false, err
	}
	switch {
	case act.MadeBy == nil:
		alone = true
	case !before && act.Beneficiary != *act.MadeBy:
		if alone, err = a.spend(ctx, tx, *act.MadeBy, act.Worth); err != nil {
			return false, err
		}
	}
	if alone {
		g.State = Alone
	}
	if err := cover(ctx, act.Kind, alone); err != nil {
		return false, err
	}
	if _, err = tx.NewInsert().Model(&g).Exec(ctx); err != nil {
		return false, db.Error(err)
	}
	return alone, audit.Record(ctx, tx, string(act.Kind.Permission()), act.Kind.object(act.ReferenceID), nil, recorded{
		g.ID, g.State, worth(g.Worth), g.BeneficiaryID, act.Gives,
	}, act.Reason)
}

// recorded is what the audit log stores of an act.
type recorded struct {
	Act           int64
	State         State
	Worth         *money.Amount // nil: without bound
	BeneficiaryID *int64
	Gives         any
}

func worth(amount money.Amount) *money.Amount {
	if amount == Unknown {
		return nil
	}
	return &amount
}

// object returns what an act of the kind refers to, as the audit log names it.
func (k Kind) object(referenceID int64) audit.Object {
	switch k {
	case CDKeys:
		return audit.ID("cd_key_batch", referenceID)
	case CaseRefund:
		return audit.ID("payment_case", referenceID)
	case PaymentByHand:
		return audit.ID("recharge", referenceID)
	case Refund, RefundByHand:
		return audit.ID("recharge_refund", referenceID)
	case Traffic:
		return audit.ID("traffic_grant", referenceID)
	case OrderByHand:
		return audit.ID("staff_order", referenceID)
	}
	return audit.ID(string(k), referenceID)
}

func declined(ctx context.Context, idb bun.IDB, kind Kind, referenceID int64) (bool, error) {
	return idb.NewSelect().Model((*Grant)(nil)).Where("kind = ? AND reference_id = ? AND state = ?", kind, referenceID,
		Declined).Exists(ctx)
}

// Named is ErrDeclinedBefore where an act on this thing was declined, unless act is the number of the newest one on it.
// Calls that imply an approval, or a new act, check it first.
func (a *Approvals) Named(ctx context.Context, idb bun.IDB, kind Kind, referenceID, act int64) error {
	before, err := declined(ctx, idb, kind, referenceID)
	if err != nil || !before {
		return err
	}
	var newest int64
	err = idb.NewSelect().Model((*Grant)(nil)).ColumnExpr("MAX(id)").
		Where("kind = ? AND reference_id = ?", kind, referenceID).Scan(ctx, &newest)
	if err == nil && newest != act {
		err = declinedBefore(newest)
	}
	return err
}

// spend adds worth to what the member gave today, unless the sum would be beyond the limit. The row stays locked until
// tx ends, so that two concurrent acts do not both fit.
func (a *Approvals) spend(ctx context.Context, tx bun.Tx, staffID int64, worth money.Amount) (within bool, err error) {
	limit := a.settings.Get().StaffCreditLimit
	if worth > limit || worth == Unknown {
		return false, nil
	}
	n, err := db.Changed(tx.NewRaw(`INSERT INTO staff_grant_day (staff_id, day, worth) VALUES (?, ?, ?)
		ON CONFLICT (staff_id, day) DO UPDATE SET worth = staff_grant_day.worth + excluded.worth
		WHERE staff_grant_day.worth <= ?`,
		staffID, a.today(), int64(worth), int64(limit-worth)).Exec(ctx))
	return n == 1, err
}

// GivenToday returns the worth of what each member gave alone today; members who gave nothing are left out.
func (a *Approvals) GivenToday(ctx context.Context) (map[int64]money.Amount, error) {
	var rows []struct {
		StaffID int64
		Worth   money.Amount
	}
	err := a.db.NewSelect().Table("staff_grant_day").Column("staff_id", "worth").Where("day = ?", a.today()).
		Scan(ctx, &rows)
	given := map[int64]money.Amount{}
	for _, r := range rows {
		given[r.StaffID] = r.Worth
	}
	return given, err
}

func (a *Approvals) today() string {
	return a.db.Now().In(a.settings.Get().Zone()).Format(time.DateOnly)
}

// Decide ends the waiting act as approved or declined, as part of the transaction that carries it out or drops it. Who
// made it and whose account would gain may decline it but not approve it, nor may who has no right to decide, or no
// account, and only asks for the same again: ErrSecondMember. What somebody made who has since lost the role for it is
// not approved: ErrMakerLeft. by is nil for the operator, who alone decides without an account.
func (a *Approvals) Decide(ctx context.Context, tx bun.Tx, kind Kind, referenceID int64, approve bool,
	by *int64,
) error {
	to := Declined
	if approve {
		to = Approved
	}
	g, err := a.Waits(ctx, tx, kind, referenceID)
	if err == nil && g == nil {
		err = ErrNotWaiting
	}
	if err == nil && approve {
		err = mayApprove(ctx, tx, g, kind, by)
	}
	if err != nil {
		return err
	}
	if err := cover(ctx, kind, approve); err != nil {
		return err
	}
	n, err := db.Changed(tx.NewUpdate().Model((*Grant)(nil)).Set("state = ?", to).Set("decided_by = ?", by).
		Set("decided_at = ?", a.db.Now()).
		Where("id = ? AND state = ?", g.ID, Waiting).Exec(ctx))
	if err == nil && n == 0 {
		err = ErrNotWaiting
	}
	if err != nil {
		return err
	}
	return audit.Record(ctx, tx, string(permission.ApprovalDecide), kind.object(referenceID),
		recorded{g.ID, Waiting, worth(g.Worth), g.BeneficiaryID, nil}, recorded{
			g.ID, to, worth(g.Worth),
			g.BeneficiaryID, nil,
		}, "")
}

// mayApprove returns why the member must not approve the act, as Decide names it; nil where they may.
func mayApprove(ctx context.Context, tx bun.Tx, g *Grant, kind Kind, by *int64) error {
	if by != nil {
		if *by == *g.StaffID || (g.BeneficiaryID != nil && *by == *g.BeneficiaryID) {
			return ErrSecondMember
		}
		if may, err := MayAct(ctx, tx, *by, permission.ApprovalDecide); err != nil || !may {
			return cmp.Or(err, error(ErrSecondMember))
		}
	}
	if may, err := MayAct(ctx, tx, *g.StaffID, kind.Permission()); err != nil || !may {
		return cmp.Or(err, error(ErrMakerLeft))
	}
	return nil
}

// MayAct tells whether the user is a member of staff who may do what needs the permission now: who is banned may not,
// and a number without an account is nobody's. The operator at the command line acts without one and is not asked
// for.
func MayAct(ctx context.Context, tx bun.Tx, userID int64, needs permission.Permission) (bool, error) {
	roles, err := role.With(ctx, tx, needs)
	if err != nil {
		return false, err
	}
	return tx.NewSelect().Table("account").
		Where("id = ? AND role IN (?) AND banned_at IS NULL AND closed_at IS NULL", userID, bun.List(roles)).
		Exists(ctx)
}

// Waits returns the act on this thing that waits for a second member; nil where none does.
func (a *Approvals) Waits(ctx context.Context, idb bun.IDB, kind Kind, referenceID int64) (*Grant, error) {
	var found []Grant
	err := idb.NewSelect().Model(&found).Where("kind = ? AND reference_id = ? AND state = ?", kind, referenceID,
		Waiting).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// WaitingFor returns the numbers of the acts that wait for a second member and by which the user would gain.
func (a *Approvals) WaitingFor(ctx context.Context, idb bun.IDB, userID int64, except Kind) (ids []int64, err error) {
	err = idb.NewSelect().Model((*Grant)(nil)).Column("id").
		Where("beneficiary_id = ? AND state = ? AND kind <> ?", userID, Waiting, except).OrderExpr("id").Scan(ctx, &ids)
	return ids, err
}

// Numbers returns the numbers, as the page of approvals shows them, of the acts of a kind that wait on these things.
func (a *Approvals) Numbers(
	ctx context.Context, idb bun.IDB, kind Kind, referenceIDs []int64,
) (ids []int64, err error) {
	if len(referenceIDs) == 0 {
		return nil, nil
	}
	err = idb.NewSelect().Model((*Grant)(nil)).Column("id").Where("kind = ? AND state = ? AND reference_id IN (?)", kind,
		Waiting, bun.List(referenceIDs)).OrderExpr("id").Scan(ctx, &ids)
	return ids, err
}

// Drop declines the act on this thing that waits, where one does, because the thing itself ended.
func (a *Approvals) Drop(ctx context.Context, tx bun.Tx, kind Kind, referenceID int64, by *int64) error {
	_, err := tx.NewUpdate().Model((*Grant)(nil)).Set("state = ?", Declined).Set("decided_by = ?", by).
		Set("decided_at = ?", a.db.Now()).
		Where("kind = ? AND reference_id = ? AND state = ?", kind, referenceID, Waiting).Exec(ctx)
	return err
}

// Gave reports whether the user made an act on this thing that takes effect, or approved it.
func (a *Approvals) Gave(ctx context.Context, idb bun.IDB, kind Kind, referenceID, userID int64) (bool, error) {
	givers, err := a.Givers(ctx, idb, kind, referenceID)
	return slices.Contains(givers, userID), err
}

// Givers returns who made the acts on this thing that take effect, and who approved them. Where an act is nobody's in
// particular, whatever it gives is refused to these.
func (a *Approvals) Givers(ctx context.Context, idb bun.IDB, kind Kind, referenceID int64) (givers []int64, err error) {
	var acts []Grant
	err = idb.NewSelect().Model(&acts).Column("staff_id", "decided_by").
		Where("kind = ? AND reference_id = ? AND state IN (?, ?)", kind, referenceID, Alone, Approved).Scan(ctx)
	for _, g := range acts {
		for _, by := range []*int64{g.StaffID, g.DecidedBy} {
			if by != nil {
				givers = append(givers, *by)
			}
		}
	}
	return givers, err
}

// Find returns a page of the acts, the newest first, and the number of all of them: in one state and of one member
// where these are given.
func (a *Approvals) Find(ctx context.Context, state State, staffID, limit, offset int64) (grants []Grant, total int64,
	err error,
) {
	q := a.db.NewSelect().Model(&grants).OrderExpr("id DESC").Limit(limit).Offset(offset)
	if state != "" {
		q.Where("state = ?", state)
	}
	if staffID != 0 {
		q.Where("staff_id = ?", staffID)
	}
	total, err = q.ScanAndCount(ctx)
	return grants, total, err
}
