package account

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/fault"
)

// Hash returns the Argon2id PHC string of a password, for Import.
func (a *Accounts) Hash(ctx context.Context, password string) (phc string, err error) {
	return a.hasher.hash(ctx, share{}, normalPassword(password))
}

// Import adds an account whose password was hashed elsewhere, as part of tx. hash is a result of Hash or Accept.
func (a *Accounts) Import(ctx context.Context, tx bun.Tx, email, name, hash string) (User, error) {
	r := newRow(email, name)
	if err := r.checkImported(); err != nil {
		return User{}, err
	}
	if err := checkHash(hash); err != nil {
		return User{}, err
	}
	r.Password = hash
	if err := rememberCost(ctx, tx, hash); err != nil {
		return User{}, err
	}
	made, err := a.SignUps.insert(ctx, tx, r)
	if err != nil {
		return User{}, err
	}
	after := map[string]any{"email": made.Email, "name": made.Name}
	return made.User, audit.Record(ctx, tx, "user.import", audit.ID("user", made.ID), nil, after, "")
}

// checkImported checks what a file or a caller says of an account.
func (r *row) checkImported() error { return invalid(checkEmail(r.Email, nil), checkName(r.Name)) }

// Imported is what the import of a file did, or would do.
type Imported struct {
	Added    int
	Present  []string // addresses that have an account, in the order of the file; those accounts stay as they are
	Rehashed int      // how many of those added have a hash that is hashed once more
}

// MaxRehashed is how many hashes are hashed once more while a request waits. On a slow server that takes the half
// minute for which the web app waits.
const MaxRehashed = 500

// ErrManyHashes is the fault of a request that would hash more than MaxRehashed.
var ErrManyHashes = fault.Invalid("csv", "many_hashes",
	"md5、sha256、md5salt 和 sha256salt 类型的哈希须重新加密，一次最多 500 个："+
		"请拆分文件，或使用命令 airstrip user import",
	"Hashes of the kinds md5, sha256, md5salt and sha256salt are hashed once more, 500 of them at most at a time: "+
		"please divide the file, or use the command airstrip user import")

// PreviewImport returns what ImportFile would do with the lines in which nothing is wrong, and changes nothing.
func (a *Accounts) PreviewImport(ctx context.Context, f *UserFile) (Imported, error) {
	present, err := presentOf(ctx, a.db, f.users)
	if err != nil {
		return Imported{}, err
	}
	return f.outcome(func(email string) bool { return !present[email] }), nil
}

// ImportFile adds all users of the file who have no account, in one transaction with an entry in the audit log. Where
// a line is wrong it returns the fault of the file and adds nobody.
func (a *Accounts) ImportFile(ctx context.Context, f *UserFile) (Imported, error) {
	if err := f.Err(); err != nil {
		return Imported{}, err
	}
	present, err := presentOf(ctx, a.db, f.users)
	if err != nil {
		return Imported{}, err
	}
	var rows []row
	for i := range f.users {
		u := &f.users[i]
		if present[u.row.Email] {
			continue // whose hash is not needed
		}
		r := u.row
		if r.Password, err = a.stored(ctx, u.hash); err != nil {
			return Imported{}, err
		}
		rows = append(rows, r)
	}
	added := map[string]bool{}
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		clear(added)
		present, err := presentOf(ctx, tx, f.users) // who signed up while hashes were made, too
		if err != nil {
			return err
		}
		missing := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return present[r.Email] })
		for _, r := range missing {
			added[r.Email] = true
		}
		return a.addImported(ctx, tx, missing)
	})
	if err != nil {
		return Imported{}, err
	}
	return f.outcome(func(email string) bool { return added[email] }), nil
}

// importTogether is how many users one statement adds or looks for.
const importTogether = 500

func (a *Accounts) addImported(ctx context.Context, tx bun.Tx, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	remembered := map[string]bool{}
	for i := range rows {
		cost := costOf(rows[i].Password)
		if remembered[cost] {
			continue
		}
		remembered[cost] = true
		if err := rememberCost(ctx, tx, rows[i].Password); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(rows, importTogether) {
		if err := a.SignUps.insertAll(ctx, tx, part); err != nil {
			return err
		}
	}
	byID := func(one, other row) int { return cmp.Compare(one.ID, other.ID) }
	after := map[string]any{
		"users": len(rows), "first_id": slices.MinFunc(rows, byID).ID, "last_id": slices.MaxFunc(rows, byID).ID,
	}
	return audit.Record(ctx, tx, "user.import", audit.Object{Kind: "user_import"}, nil, after, "")
}

// presentOf returns those addresses of the users that have an account.
func presentOf(ctx context.Context, idb bun.IDB, users []fileUser) (map[string]bool, error) {
	present := map[string]bool{}
	for part := range slices.Chunk(users, importTogether) {
		emails := make([]string, len(part))
		for i := range part {
			emails[i] = part[i].row.Email
		}
		var found []string
		err := idb.NewSelect().Model((*row)(nil)).Column("email").Where("email IN (?)", bun.List(emails)).
			Scan(ctx, &found)
		if err != nil {
			return nil, err
		}
		for _, email := range found {
			present[email] = true
		}
	}
	return present, nil
}

// outcome says what becomes of the file's users, of whom isAdded tells who is added.
func (f *UserFile) outcome(isAdded func(email string) bool) Imported {
	out := Imported{Present: []string{}}
	for i := range f.users {
		u := &f.users[i]
		switch {
		case !isAdded(u.row.Email):
			out.Present = append(out.Present, u.row.Email)
			continue
		case u.hash.isFast():
			out.Rehashed++
		}
		out.Added++
	}
	return out
}
