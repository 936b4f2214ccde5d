package console

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/link"
	"airstrip/internal/listing"
	"airstrip/internal/money"
	"airstrip/internal/node"
	"airstrip/internal/permission"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/text"
	"airstrip/internal/wallet"
)

// UserState is what a user may do now, as lists show it.
type UserState string

// The states of users. All but Banned and Closed are those of what they may use.
const (
	Active    UserState = "active"
	None      UserState = "none"
	Exhausted UserState = "exhausted"
	Expired   UserState = "expired"
	Banned    UserState = "banned"
	Closed    UserState = "closed"
)

// User is the row of facts about a user.
type User struct {
	bun.BaseModel `bun:"table:user_facts"`
	ID            int64 `bun:"user_id,pk"`
	Email         string
	Domain        string
	Role          permission.Role
	State         UserState
	PlanID        *int64     // of the service that runs the longest; nil: none runs
	EndsAt        *time.Time // of that service; where none runs, when the last one ended
	UsedBytes     *int64     // of that service's cycle, rounded down to 64 MiB
	QuotaBytes    *int64     // nil: unlimited, or none runs
	UsedPercent   *int64
	Balance       money.Amount
	InviterID     *int64
	Area          string // that the link was last fetched from; empty: it never was
	SeenAt        *time.Time
	Fetches       int64 // of the link that the log has
	FetchedAt     *time.Time
	CreatedAt     time.Time

	Labels []string `bun:"-"`
}

// Users declares the list of users.
func (c *Console) Users() *listing.Resource {
	return &listing.Resource{
		Name: "users", Table: "user_facts", ID: "user_id", Default: "-created",
		Search: c.findUsersOrOwner,
		SearchDoc: "How the e-mail address or the name begins, a domain as @example.com, the user's number, or their whole " +
			"subscription link or its token. Never a part from within",
		Filters: []listing.Filter{
			{
				Key: "state", Kind: listing.Choice, Column: "state", Doc: "What the user may do",
				Choices: []string{"active", "none", "exhausted", "expired", "banned", "closed"},
			},
			{Key: "plan", Kind: listing.Reference, Of: "plans", Column: "plan_id", None: true, Doc: "Plan that runs"},
			{
				Key: "ends", Kind: listing.Date, Column: "ends_at", None: true,
				Doc: "When what runs ends, or what ran last ended",
			},
			{
				Key: "used", Kind: listing.Range, Unit: "percent", Column: "used_percent", None: true,
				Doc: "Used part of the cycle's quota",
			},
			{Key: "balance", Kind: listing.Range, Unit: "money", Column: "balance", Doc: "Of the wallet"},
			{
				Key: "inviter", Kind: listing.Reference, Of: "users", Column: "inviter_id", None: true,
				Doc: "Who invited the user",
			},
			{
				Key: "area", Kind: listing.Choice, Column: "area", Spelling: strings.ToUpper,
				Doc: "Country of the link's last fetch, as DE",
			},
			{Key: "seen", Kind: listing.Date, Column: "seen_at", None: true, Doc: "Last sign-in or visit"},
			{Key: "fetches", Kind: listing.Range, Column: "fetches", Doc: "Fetches of the link that the log has"},
			{Key: "created", Kind: listing.Date, Column: "created_at", Doc: "Sign-up"},
			{
				Key: "domain", Kind: listing.Choice, Column: "domain", Spelling: strings.ToLower,
				Doc: "Of the e-mail address",
			},
			{
				Key: "role", Kind: listing.Choice, Column: "role",
				Doc: "Of a member of staff: owner, admin, finance, support, viewer, or the name of another",
			},
			labelFilter("user", "user_id"),
		},
		Sorts: []listing.Sort{
			{Key: "created", Column: "created_at", Kind: listing.Time},
			{Key: "ends", Column: "ends_at", Kind: listing.Time, None: true},
			{Key: "used", Column: "used_percent", None: true},
			{Key: "balance", Column: "balance"},
			{Key: "seen", Column: "seen_at", Kind: listing.Time, None: true},
			{Key: "fetches", Column: "fetches"},
		},
		// Some of these columns say the same, such as that nothing runs. The others are as good as independent.
		Indexes: []listing.Index{
			{Name: "user_facts_created", Columns: []string{"created_at", "user_id", "ends_at", "used_percent", "balance"}},
			{Name: "user_facts_ends", Columns: []string{"ends_at", "user_id", "created_at", "used_percent", "balance"}},
			{Name: "user_facts_used", Columns: []string{
				"used_percent", "user_id", "created_at", "ends_at", "balance", "plan_id", "state",
			}},
			{Name: "user_facts_balance", Columns: []string{"balance", "user_id", "created_at", "ends_at", "used_percent"}},
			{Name: "user_facts_state", Columns: []string{
				"state", "ends_at", "user_id", "used_percent", "balance", "created_at",
			}},
			{Name: "user_facts_plan", Columns: []string{
				"plan_id", "ends_at", "user_id", "used_percent", "balance", "created_at",
			}},
			{Name: "user_facts_state_seen", Columns: []string{"state", "seen_at", "user_id"}},
			{Name: "user_facts_state_balance", Columns: []string{"state", "balance", "user_id"}},
			{Name: "user_facts_state_used", Columns: []string{"state", "used_percent", "user_id"}},
			{Name: "user_facts_plan_used", Columns: []string{"plan_id", "used_percent", "user_id"}},
			{Name: "user_facts_plan_created", Columns: []string{"plan_id", "created_at", "user_id"}},
		},
	}
}

// findUsersOrOwner is findUsers, and finds whose link is typed.
func (c *Console) findUsersOrOwner(ctx context.Context, typed string) (listing.Condition, error) {
	if owner, ok := link.OwnerOf("user_id", typed); ok {
		return owner, nil
	}
	return c.findUsers(ctx, typed)
}

// findUsers is the condition of what a person types to find users.
func (c *Console) findUsers(_ context.Context, typed string) (listing.Condition, error) {
	typed = asciiLower(typed)
	switch {
	case typed == "" || typed == "@":
		return listing.Condition{}, fault.Invalid("q", "too_short", "请输入更多内容", "Please type more")
	case strings.HasPrefix(typed, "@"):
		return listing.Equal("domain", typed[1:]), nil
	case strings.Contains(typed, "@"):
		return listing.Prefix("email", typed), nil
	}
	found := listing.Or(listing.Prefix("email", typed), listing.Prefix("name", typed))
	if id, ok := text.Integer(typed); ok {
		found = listing.Or(found, listing.Equal("user_id", id))
	}
	return found, nil
}

// asciiLower does what {{lower}} of the migration does.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// UsersByID returns the facts about users, in any order.
func (c *Console) UsersByID(ctx context.Context, ids []int64) (users []User, err error) {
	if err := c.db.NewSelect().Model(&users).Where("user_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	labels, err := c.Labels(ctx, "user", ids)
	for i := range users {
		users[i].Labels = labels[users[i].ID]
	}
	return users, err
}

// FactsIn returns the facts about users as tx sees them, without labels.
func (c *Console) FactsIn(ctx context.Context, tx bun.Tx, ids []int64) (users []User, err error) {
	err = tx.NewSelect().Model(&users).Where("user_id IN (?)", bun.List(ids)).Scan(ctx)
	return users, err
}

// maxFound is how many users a search for something of theirs takes in.
const maxFound = 1000

// FindUsers returns the ids of users whom a person finds by typing, at most maxFound of them; never nil.
func (c *Console) FindUsers(ctx context.Context, typed string) ([]int64, error) {
	condition, err := c.findUsers(ctx, strings.TrimSpace(typed))
	if err != nil {
		return nil, err
	}
	ids, err := c.Lists.Find(ctx, c.Users(), condition, maxFound)
	return append([]int64{}, ids...), err
}

// maxActedOn is how many of these a search of the audit log takes in as those who were acted on.
const maxActedOn = 20

// SearchOf returns the search of a list of what belongs to users: a number of its own, or whatever finds its users.
func (c *Console) SearchOf(id, owner string, others func(typed string) *listing.Condition) func(
	context.Context, string,
) (listing.Condition, error) {
	return func(ctx context.Context, typed string) (listing.Condition, error) {
		if n, ok := text.Integer(typed); ok {
			return listing.Equal(id, n), nil
		}
		condition, err := c.findUsers(ctx, typed)
		if err != nil {
			return listing.Condition{}, err
		}
		ids, err := c.Lists.Find(ctx, c.Users(), condition, maxFound)
		found := listing.OneOf(owner, ids)
		if others != nil {
			if other := others(typed); other != nil {
				found = listing.Or(*other, found)
			}
		}
		return found, err
	}
}

// Orders declares the list of orders.
func (c *Console) Orders() *listing.Resource {
	r := shop.OrderList()
	r.SearchDoc = "The number or the whole id of an order, or what finds its user"
	r.Search = c.SearchOf("id", "user_id", func(typed string) *listing.Condition { return whole("uuid", typed) })
	r.Filters = append(r.Filters, labelFilter("order", "id"))
	return r
}

// Recharges declares the list of recharges.
func (c *Console) Recharges() *listing.Resource {
	r := wallet.RechargeList()
	r.SearchDoc = "The number, the whole id or the whole trade number of a recharge, the gateway's number of the payment, " +
		"or what finds its user"
	r.Search = c.SearchOf("id", "user_id", func(typed string) *listing.Condition {
		if found := whole("uuid", typed); found != nil {
			return found
		}
		found := listing.Or(listing.Equal("trade_no", typed), listing.Equal("transaction_id", typed))
		return &found
	})
	r.Filters = append(r.Filters, labelFilter("recharge", "id"))
	return r
}

// Services declares the list of services.
func (c *Console) Services() *listing.Resource {
	r := service.ServiceList()
	r.SearchDoc = "The number of a service, or what finds its user"
	r.Search = c.SearchOf("id", "user_id", nil)
	return r
}

// Invoices declares the list of invoices.
func (c *Console) Invoices() *listing.Resource {
	r := wallet.InvoiceList()
	r.SearchDoc = "The number or the whole id of an invoice, or what finds its user"
	r.Search = c.SearchOf("id", "user_id", func(typed string) *listing.Condition { return whole("uuid", typed) })
	return r
}

// Ledger declares the list of transactions of the ledger.
func (c *Console) Ledger() *listing.Resource {
	r := wallet.BookingList()
	byAmount := r.Search
	r.SearchDoc += ", or what finds the user"
	r.Search = func(ctx context.Context, typed string) (listing.Condition, error) {
		found, err := byAmount(ctx, typed)
		if err == nil {
			return found, nil
		}
		users, err := c.findUsers(ctx, typed)
		if err != nil {
			return found, err
		}
		ids, err := c.Lists.Find(ctx, c.Users(), users, maxFound)
		return wallet.BookingsOf(ids), err
	}
	return r
}

// LinkFetches declares the list of link fetches.
func (c *Console) LinkFetches() *listing.Resource {
	r := link.FetchList()
	r.SearchDoc = "An address, or what finds the user of the link"
	r.Search = c.SearchOf("id", "user_id", func(typed string) *listing.Condition {
		if _, err := netip.ParseAddr(typed); err != nil {
			return nil
		}
		found := listing.Equal("ip", typed)
		return &found
	})
	return r
}

// RuleHits declares the list of what audit rules stopped.
func (c *Console) RuleHits() *listing.Resource {
	r := node.HitList()
	r.SearchDoc = "What finds the user"
	r.Search = c.SearchOf("id", "user_id", nil)
	return r
}

// minWords is how many characters of an action's words a search of the audit log takes.
const minWords = 2

// AuditEntries declares the list of the audit log.
func (c *Console) AuditEntries() *listing.Resource {
	r := audit.List()
	r.SearchDoc = "An entry's or object's number, how an action begins or what its words have in them, an address, or " +
		"what finds who acted or who was acted on"
	r.Search = func(ctx context.Context, typed string) (listing.Condition, error) {
		if n, ok := text.Integer(typed); ok {
			return listing.Or(listing.Equal("id", n), listing.Equal("object_id", typed)), nil
		}
		if _, err := netip.ParseAddr(typed); err == nil {
			return listing.Equal("address", typed), nil
		}
		condition, err := c.findUsers(ctx, typed)
		if err != nil {
			return listing.Condition{}, err
		}
		ids, err := c.Lists.Find(ctx, c.Users(), condition, maxFound)
		found := listing.Or(listing.OneOf("actor_id", ids), listing.Prefix("action", asciiLower(typed)))
		if utf8.RuneCountInString(typed) >= minWords {
			found = listing.Or(found, listing.OneOf("action", audit.ActionsSaying(typed)))
		}
		for i := range ids {
			if i == maxActedOn {
				break
			}
			found = listing.Or(found, listing.Condition{
				SQL: "(@object = 'user' AND @object_id = ?)", Values: []any{strconv.FormatInt(ids[i], 10)},
			})
		}
		return found, err
	}
	return r
}

// whole is the condition of a whole UUID; nil where it is none.
func whole(column, typed string) *listing.Condition {
	id, err := uuid.Parse(typed)
	if err != nil {
		return nil
	}
	found := listing.Equal(column, id)
	return &found
}
