package staff

import (
	"context"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/permission"
)

type userFile struct {
	CSV    string `json:"csv" minLength:"1" maxLength:"4000000" doc:"Text of a CSV file whose first line names the columns email and hash and, where there are any, name, kind and salt; at most 10,000 lines and 4 MB, and 500 hashes of the kinds md5, sha256, md5salt and sha256salt"`
	DryRun bool   `json:"dry_run,omitempty" doc:"Only check the file"`
}

type wrongUserLine struct {
	Line    int    `json:"line" doc:"In the file, from 1"`
	Field   string `json:"field" enum:"email,hash,name,kind,salt,line" doc:"line: the line itself cannot be read"`
	Message string `json:"message" doc:"In the caller's language"`
}

type importedUsers struct {
	Added      int             `json:"added" doc:"How many were added; with dry_run, would be by the lines in which nothing is wrong"`
	Present    []string        `json:"present" doc:"Addresses that have an account, in the order of the file; those accounts stay as they are"`
	Wrong      []wrongUserLine `json:"wrong" doc:"With dry_run: the first 500 things that keep the file from being imported"`
	WrongCount int             `json:"wrong_count"`
}

const maxWrongShown = 500

// UserImport adds the import of users of another panel.
func UserImport(a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("POST /staff/users/import", permission.UserImport).
			Named("staff_users_import",
				"Add the users of a CSV file, with the hashes of their passwords, all or none; who has an account is "+
					"left as they are. 422 import_lines_wrong: the fields are named as lines.2.email").HoldingFile(),
			func(ctx context.Context, _ account.Identity, in *v2.Body[userFile]) (importedUsers, error) {
				file, err := account.ReadUserFile(in.Body.CSV)
				if err != nil {
					return importedUsers{}, err
				}
				done, err := a.PreviewImport(ctx, file)
				if err == nil && len(file.Wrong) == 0 && done.Rehashed > account.MaxRehashed {
					err = account.ErrManyHashes
				}
				if err == nil && !in.Body.DryRun {
					done, err = a.ImportFile(ctx, file)
				}
				if err != nil {
					return importedUsers{}, err
				}
				return newImportedUsers(ctx, file, done), nil
			})
	}
}

func newImportedUsers(ctx context.Context, file *account.UserFile, done account.Imported) importedUsers {
	out := importedUsers{done.Added, done.Present, []wrongUserLine{}, len(file.Wrong)}
	for _, w := range file.Wrong[:min(len(file.Wrong), maxWrongShown)] {
		out.Wrong = append(out.Wrong, wrongUserLine{w.Line, w.Field, w.Text.In(api.CallerOf(ctx).Lang)})
	}
	return out
}
