package link

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/listing"
	"airstrip/internal/node"
	"airstrip/internal/service"
)

const (
	tokenLength = 32
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sealedFor   = "link token"
)

type tokenRow struct {
	bun.BaseModel `bun:"table:link_token"`
	UserID        int64 `bun:",pk"`
	Hash          []byte
	Sealed        []byte
	UpdatedAt     time.Time
}

// Token opens a user's link; URLs are the addresses with it.
type Token struct {
	Token     string
	URLs      []string // The first one is shown to the user.
	UpdatedAt time.Time
}

// newToken returns 190 random bits as 32 characters of base62.
func newToken() string {
	token := make([]byte, 0, tokenLength)
	for len(token) < tokenLength {
		var b [tokenLength]byte
		rand.Read(b[:])
		for _, c := range b {
			if c < 4*62 && len(token) < tokenLength { // Other values would make some characters more frequent.
				token = append(token, base62[c%62])
			}
		}
	}
	return string(token)
}

func hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Fingerprint represents the token in the log.
func (t Token) Fingerprint() string { return fingerprint(t.Token) }

func fingerprint(token string) string { return hex.EncodeToString(hash(token)[:4]) }

// Token returns the user's link token and creates it if necessary.
func (l *Links) Token(ctx context.Context, userID int64) (Token, error) {
	var row tokenRow
	err := l.ofUser.Model(ctx, []any{userID}, &row)
	if err == nil {
		return l.open(row)
	}
	if !errors.Is(err, db.ErrNoRows) {
		return Token{}, err
	}
	err = l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		row, err = l.insertToken(ctx, tx, userID)
		return err
	})
	if err != nil {
		return Token{}, err
	}
	return l.open(row)
}

// TokenIn is Token as part of tx.
func (l *Links) TokenIn(ctx context.Context, tx bun.Tx, userID int64) (Token, error) {
	row, err := l.insertToken(ctx, tx, userID)
	if err != nil {
		return Token{}, err
	}
	return l.open(row)
}

// insertToken creates the user's token where there is none, and returns its row.
func (l *Links) insertToken(ctx context.Context, tx bun.Tx, userID int64) (row tokenRow, err error) {
	made := l.row(userID, newToken())
	if _, err := tx.NewInsert().Model(&made).On("CONFLICT (user_id) DO NOTHING").Exec(ctx); err != nil {
		return row, err
	}
	// Another call may have created it.
	err = tx.NewSelect().Model(&row).Where("user_id = ?", userID).Scan(ctx)
	return row, err
}

func (l *Links) open(row tokenRow) (Token, error) {
	token, err := l.key.Open(sealedFor, row.Sealed)
	if err != nil {
		return Token{}, err
	}
	return l.show(string(token), row.UpdatedAt), nil
}

// UserToken is a user with the token of their link.
type UserToken struct {
	UserID int64
	Token  string
}

// All returns the link tokens of all users whose accounts are not closed, and creates missing ones.
func (l *Links) All(ctx context.Context) ([]UserToken, error) {
	var rows []tokenRow
	if err := l.db.NewRaw(`SELECT a.user_id, t.sealed FROM access AS a LEFT JOIN link_token AS t
		ON t.user_id = a.user_id ORDER BY a.user_id`).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	all := make([]UserToken, len(rows))
	for i, row := range rows {
		all[i].UserID = row.UserID
		if row.Sealed == nil {
			made, err := l.Token(ctx, row.UserID)
			if err != nil {
				return nil, err
			}
			all[i].Token = made.Token
			continue
		}
		token, err := l.key.Open(sealedFor, row.Sealed)
		if err != nil {
			return nil, err
		}
		all[i].Token = string(token)
	}
	return all, nil
}

// Reset replaces the user's token; the old one is unknown from the commit on. With nodes it also replaces the user's
// UUID and password on all nodes, in the same transaction.
func (l *Links) Reset(ctx context.Context, userID int64, nodes bool) (token Token, err error) {
	err = l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		token, err = l.reset(ctx, tx, userID, nodes)
		return err
	})
	return token, err
}

// ResetFor is Reset with nodes for a member of staff, who does not get the token.
func (l *Links) ResetFor(ctx context.Context, userID int64, reason string) error {
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var was []tokenRow
		if err := tx.NewSelect().Model(&was).Where("user_id = ?", userID).Scan(ctx); err != nil {
			return err
		}
		token, err := l.reset(ctx, tx, userID, true)
		if err != nil {
			return err
		}
		before := map[string]any{"token_made_at": nil}
		if len(was) > 0 {
			before["token_made_at"] = was[0].UpdatedAt
		}
		return audit.Record(ctx, tx, "user.link.reset", audit.ID("user", userID), before,
			map[string]any{"token_made_at": token.UpdatedAt}, reason)
	})
}

func (l *Links) reset(ctx context.Context, tx bun.Tx, userID int64, nodes bool) (Token, error) {
	token := newToken()
	row := l.row(userID, token)
	if _, err := tx.NewInsert().Model(&row).On("CONFLICT (user_id) DO UPDATE").
		Set("hash = EXCLUDED.hash").Set("sealed = EXCLUDED.sealed").Set("updated_at = EXCLUDED.updated_at").
		Exec(ctx); err != nil {
		return Token{}, err
	}
	if nodes {
		if err := l.services.ResetCredentials(ctx, tx, userID); err != nil {
			return Token{}, err
		}
	}
	return l.show(token, row.UpdatedAt), nil
}

// ResetCredentials replaces the user's UUID and password on all nodes. The link stays.
func (l *Links) ResetCredentials(ctx context.Context, userID int64) error {
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return l.services.ResetCredentials(ctx, tx,
			userID)
	})
}

func (l *Links) row(userID int64, token string) tokenRow {
	return tokenRow{
		UserID: userID, Hash: hash(token), Sealed: l.key.Seal(sealedFor, []byte(token)),
		UpdatedAt: l.db.Now(),
	}
}

func (l *Links) show(token string, at time.Time) Token {
	t := Token{Token: token, UpdatedAt: at}
	for _, site := range l.sites() {
		t.URLs = append(t.URLs, site+"/link2/"+token)
	}
	return t
}

// sites are the addresses for links, the one to show first.
func (l *Links) sites() []string {
	if sites := l.settings.Get().LinkURLs; len(sites) > 0 {
		return sites
	}
	return []string{l.site}
}

// siteURL returns the link at the address of the site that r used, so that users who were sent to another address
// because the first is blocked stay there. It is at the first address if the host is none of them.
func (l *Links) siteURL(r Request) string {
	sites := l.sites()
	i := slices.IndexFunc(sites, func(site string) bool {
		u, err := url.Parse(site)
		return err == nil && strings.EqualFold(u.Host, r.Host)
	})
	return sites[max(i, 0)] + "/link2/" + r.Token
}

// tokenOwner is what one query returns for a token: its user, and the revisions that cached data must have.
type tokenOwner struct {
	UserID int64
	Access int64      // Revision of users' rights.
	Node   int64      // Revision of nodes.
	Group  int        // Link group that the user was assigned; 0 for none.
	Lang   fault.Lang // Language that the user last used, for the names of nodes.
}

// Owner returns whose link a token opens.
func (l *Links) Owner(ctx context.Context, token string) (userID int64, err error) {
	k, err := l.find(ctx, token)
	return k.UserID, err
}

// typedToken is a token alone, or in one of its addresses whatever the site.
var typedToken = regexp.MustCompile(`^(?:https?://[^/\s]+/(?:v1/)?link2/)?([0-9A-Za-z]{32})(?:[/?#].*)?$`)

// OwnerOf is the condition that column is the user whose link is typed, as a token or an address. ok is false where
// typed is neither. It compares hashes: who searches by a part of a token finds nothing, and learns nothing of others.
func OwnerOf(column, typed string) (found listing.Condition, ok bool) {
	parts := typedToken.FindStringSubmatch(typed)
	if parts == nil {
		return found, false
	}
	return listing.Condition{
		SQL:    "@" + column + " = (SELECT user_id FROM link_token WHERE hash = ?)",
		Values: []any{hash(parts[1])}, Secret: true,
	}, true
}

const knownText = `SELECT user_id, coalesce(` + db.RevisionValue + `, 0), coalesce(` + db.RevisionValue + `, 0),
	coalesce((SELECT link_group FROM user_link_group AS g WHERE g.user_id = link_token.user_id), 0),
	coalesce((SELECT lang FROM account WHERE id = link_token.user_id), '') FROM link_token WHERE hash = ?`

// find looks up a token. It queries the database each time, so that a reset takes effect at once in every process.
func (l *Links) find(ctx context.Context, token string) (tokenOwner, error) {
	var k tokenOwner
	err := l.known.Row(ctx, []any{service.Revision, node.Revision, hash(token)}, &k.UserID, &k.Access, &k.Node,
		&k.Group, &k.Lang)
	return k, db.OrMissing(err, ErrUnknown)
}
