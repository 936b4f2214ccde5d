package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/permission"
)

type userNote struct {
	ID        int64      `json:"id"`
	Text      string     `json:"text"`
	MadeBy    *personRef `json:"made_by,omitempty" doc:"Absent: the operator"`
	CreatedAt time.Time  `json:"created_at"`
}

// UserNotes adds what staff writes down about users, who never see it.
func UserNotes(c *console.Console, a *account.Accounts) v2.Resource {
	show := func(ctx context.Context, notes ...console.Note) ([]userNote, error) {
		var makers []int64
		for i := range notes {
			if notes[i].MadeBy != nil {
				makers = append(makers, *notes[i].MadeBy)
			}
		}
		known, err := peopleOf(ctx, a, makers)
		out := make([]userNote, len(notes))
		for i, n := range notes {
			out[i] = userNote{ID: n.ID, Text: n.Text, CreatedAt: n.CreatedAt}
			if n.MadeBy != nil {
				maker := known.ref(*n.MadeBy)
				out[i].MadeBy = &maker
			}
		}
		return out, err
	}
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/users/{user_id}/notes", permission.UserNote).
			Named("staff_user_notes", "The newest 100 notes of staff about a user"),
			func(ctx context.Context, _ account.Identity, in *userPath) ([]userNote, error) {
				notes, err := c.Notes(ctx, in.ID)
				if err != nil {
					return nil, err
				}
				return show(ctx, notes...)
			})
		type added struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Body struct {
				Text string `json:"text" minLength:"1" maxLength:"2000"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/notes", permission.UserNote).
			Named("staff_user_note_add", "Write a note about a user"),
			func(ctx context.Context, who account.Identity, in *added) (userNote, error) {
				if err := a.MayActOn(ctx, account.Identity{}, permission.UserNote, in.ID); err != nil {
					return userNote{}, err
				}
				n, err := c.AddNote(ctx, in.ID, in.Body.Text, &who.UserID)
				if err != nil {
					return userNote{}, err
				}
				out, err := show(ctx, n)
				return out[0], err
			})
		type which struct {
			ID     int64 `path:"user_id" minimum:"1"`
			NoteID int64 `path:"note_id" minimum:"1"`
		}
		v2.Handle(r, v2.StaffOp("DELETE /staff/users/{user_id}/notes/{note_id}", permission.UserNote).
			Named("staff_user_note_remove", "Remove a note about a user"),
			func(ctx context.Context, _ account.Identity, in *which) (nothing, error) {
				return nothing{}, c.RemoveNote(ctx, in.ID, in.NoteID)
			})
	}
}
