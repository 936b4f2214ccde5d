package staff

import (
	"cmp"
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/cdkey"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

type keyBatch struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	v2.Gift
	Size        int        `json:"size" doc:"How many keys"`
	MaxUses     int        `json:"max_uses" doc:"Of each key, by as many users"`
	PerUser     *int       `json:"per_user" nullable:"true" doc:"Keys of the batch that one user may redeem; null: no limit"`
	Used        int64      `json:"used" doc:"Redemptions of all its keys"`
	ExpiresAt   *time.Time `json:"expires_at" nullable:"true"`
	MadeBy      *int64     `json:"made_by" nullable:"true" doc:"Id of the member of staff; null: at the command line"`
	MadeByWho   string     `json:"made_by_email" doc:"Empty: at the command line, or the account is closed"`
	CreatedAt   time.Time  `json:"created_at"`
	ConfirmedBy *int64     `json:"confirmed_by" nullable:"true"`
	ConfirmedAt *time.Time `json:"confirmed_at" nullable:"true" doc:"null: the keys count once a second member of staff has confirmed the batch"`
	VoidedBy    *int64     `json:"voided_by" nullable:"true"`
	VoidedAt    *time.Time `json:"voided_at" nullable:"true"`
}

func newKeyBatch(b *cdkey.Batch, known knownUsers) keyBatch {
	return keyBatch{
		b.ID, b.Name, v2.NewGift(b.Gift), b.Size, b.MaxUses, b.PerUser, b.Used, b.ExpiresAt, b.MadeBy,
		known.emailOf(b.MadeBy), b.CreatedAt, b.ConfirmedBy, b.ConfirmedAt, b.VoidedBy, b.VoidedAt,
	}
}

type madeBatch struct {
	Batch keyBatch `json:"batch"`
	CSV   string   `json:"csv" doc:"All keys of the batch, shown this once"`
}

type keyBatches struct {
	Batches    []keyBatch `json:"batches" doc:"Newest first"`
	TotalCount int64      `json:"total_count"`
}

type keyItem struct {
	ID       int64      `json:"id"`
	Prefix   string     `json:"prefix" doc:"The key's first characters"`
	Used     int        `json:"used"`
	MaxUses  int        `json:"max_uses"`
	VoidedAt *time.Time `json:"voided_at" nullable:"true"`
}

type batchWithKeys struct {
	Batch keyBatch  `json:"batch"`
	Keys  []keyItem `json:"keys"`
}

type batchBody struct {
	Name      string          `json:"name,omitempty" maxLength:"64" doc:"For staff"`
	Kind      string          `json:"kind" enum:"amount,plan,traffic"`
	Amount    *v2.AmountInput `json:"amount,omitempty"`
	PlanID    *int64          `json:"plan_id,omitempty"`
	Months    *int            `json:"months,omitempty"`
	Days      *int            `json:"days,omitempty"`
	Bytes     *int64          `json:"bytes,omitempty"`
	Size      int             `json:"size" doc:"How many keys: 1 to 10,000"`
	MaxUses   int             `json:"max_uses,omitempty" doc:"Of each key, by as many users; 1 where it is not given"`
	PerUser   *int            `json:"per_user,omitempty" nullable:"true"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty" nullable:"true"`
}

func (b batchBody) batch() cdkey.Batch {
	out := cdkey.Batch{
		Name: b.Name, Gift: cdkey.Gift{
			Kind: cdkey.Kind(b.Kind), PlanID: b.PlanID, Months: b.Months, Days: b.Days,
			Bytes: b.Bytes,
		},
		Size: b.Size, MaxUses: cmp.Or(b.MaxUses, 1), PerUser: b.PerUser, ExpiresAt: b.ExpiresAt,
	}
	if b.Amount != nil {
		out.Amount = b.Amount.Amount
	}
	return out
}

type keyUse struct {
	ID         int64     `json:"id"`
	KeyID      int64     `json:"key_id"`
	Prefix     string    `json:"prefix" doc:"The key's first characters"`
	User       personRef `json:"user"`
	RedeemedAt time.Time `json:"redeemed_at"`
}

type keyUses struct {
	Redemptions []keyUse `json:"redemptions" doc:"Newest first"`
	TotalCount  int64    `json:"total_count"`
}

// reasonBody says why something is done, for the audit log.
type reasonBody struct {
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"For the audit log"`
}

// text returns the reason that was given, if any.
func (b *reasonBody) text() string {
	if b == nil {
		return ""
	}
	return b.Reason
}

// CDKeys adds making, confirming and voiding cd-keys.
func CDKeys(k *cdkey.Keys, a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		type part struct {
			Limit  int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64 `query:"offset" minimum:"0" default:"0"`
		}

		v2.Handle(r, v2.StaffOp("POST /staff/cd-keys", permission.CDKeyMake, approval.CDKeys).
			Named("staff_cd_keys_make", "Make a batch of cd-keys; the answer has them this once").WithKey().
			Answering(fault.Text{ZH: "兑换码已生成，请立即保存，之后不再显示", EN: "Save the keys now; they are not shown again"}),
			func(ctx context.Context, who account.Identity, in *v2.Body[batchBody]) (madeBatch, error) {
				// The maker is read first: nothing may fail between the keys and the answer, which alone has them.
				known, err := peopleOf(ctx, a, []int64{who.UserID})
				if err != nil {
					return madeBatch{}, err
				}
				b, keys, err := k.Make(ctx, in.Body.batch(), &who.UserID)
				if err != nil {
					return madeBatch{}, err
				}
				return madeBatch{newKeyBatch(&b, known), b.CSV(keys)}, nil
			})
		v2.Handle(r, v2.StaffOp("GET /staff/cd-keys", permission.CDKeyRead).
			Named("staff_cd_keys_list", "The batches of cd-keys"),
			func(ctx context.Context, _ account.Identity, in *part) (keyBatches, error) {
				batches, total, err := k.Batches(ctx, in.Limit, in.Offset)
				if err != nil {
					return keyBatches{}, err
				}
				known, err := makersOf(ctx, a, batches, func(b *cdkey.Batch) []*int64 { return []*int64{b.MadeBy} })
				out := keyBatches{[]keyBatch{}, total}
				for i := range batches {
					out.Batches = append(out.Batches, newKeyBatch(&batches[i], known))
				}
				return out, err
			})
		type whichPart struct {
			BatchID int64 `path:"batch_id"`
			Limit   int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset  int64 `query:"offset" minimum:"0" default:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/cd-keys/{batch_id}", permission.CDKeyRead).
			Named("staff_cd_keys_get", "A batch and a part of its keys"),
			func(ctx context.Context, _ account.Identity, in *whichPart) (batchWithKeys, error) {
				b, keys, err := k.Batch(ctx, in.BatchID, in.Limit, in.Offset)
				if err != nil {
					return batchWithKeys{}, err
				}
				known, err := peopleOf(ctx, a, namedOf(b.MadeBy))
				out := batchWithKeys{newKeyBatch(&b, known), []keyItem{}}
				for _, key := range keys {
					out.Keys = append(out.Keys, keyItem{key.ID, key.Prefix, key.Used, key.MaxUses, key.VoidedAt})
				}
				return out, err
			})
		type which struct {
			BatchID int64 `path:"batch_id"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/cd-keys/{batch_id}/confirm", permission.ApprovalDecide, approval.Decision).
			Named("staff_cd_keys_confirm", "Let a batch count that another member of staff made"),
			func(ctx context.Context, who account.Identity, in *which) (v2.Empty, error) {
				return v2.Empty{}, k.Confirm(ctx, in.BatchID, &who.UserID)
			})
		v2.Handle(r, v2.StaffOp("GET /staff/cd-keys/{batch_id}/redemptions", permission.CDKeyRead).
			Named("staff_cd_key_redemptions", "Who redeemed keys of a batch"),
			func(ctx context.Context, _ account.Identity, in *whichPart) (keyUses, error) {
				uses, total, err := k.RedeemedOf(ctx, in.BatchID, in.Limit, in.Offset)
				if err != nil {
					return keyUses{}, err
				}
				known, err := ownersOf(ctx, a, uses, func(row *cdkey.Redemption) int64 { return row.UserID })
				out := keyUses{[]keyUse{}, total}
				for _, u := range uses {
					out.Redemptions = append(out.Redemptions, keyUse{
						u.ID, u.KeyID, u.Prefix, known.ref(u.UserID), u.CreatedAt,
					})
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/cd-keys/{batch_id}/void", permission.CDKeyVoid).
			Named("staff_cd_keys_void", "Make all keys of a batch worthless; what was redeemed stays"),
			func(ctx context.Context, who account.Identity, in *struct {
				BatchID int64 `path:"batch_id"`
				Body    *reasonBody
			},
			) (v2.Empty, error) {
				return v2.Empty{}, k.Void(ctx, in.BatchID, &who.UserID, in.Body.text())
			})
		v2.Handle(r, v2.StaffOp("POST /staff/cd-keys/{batch_id}/keys/{key_id}/void", permission.CDKeyVoid).
			Named("staff_cd_key_void", "Make one key worthless"),
			func(ctx context.Context, _ account.Identity, in *struct {
				BatchID int64 `path:"batch_id"`
				KeyID   int64 `path:"key_id"`
				Body    *reasonBody
			},
			) (v2.Empty, error) {
				return v2.Empty{}, k.VoidKey(ctx, in.BatchID, in.KeyID, in.Body.text())
			})
	}
}
