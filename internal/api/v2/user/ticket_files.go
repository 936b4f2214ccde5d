package user

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/ticket"
)

// ticketFiles adds the files that users send in tickets.
func ticketFiles(r *v2.Router, t *ticket.Tickets) {
	v2.HandleUpload(r, v2.UserOp("PUT /user/ticket-attachments/{attachment_id}").
		Named("ticket_attachment_upload", "Upload a picture or text of at most 5 MB under a new UUID, before the "+
			"message that sends it; repeated under the same one it changes nothing. 409 attachment_quota, "+
			"422 attachment_type"),
		func(ctx context.Context, who account.Identity, in *v2.UploadedFile) (v2.Attachment, error) {
			id, err := in.UUID()
			if err != nil {
				return v2.Attachment{}, err
			}
			a, err := t.Upload(ctx, who.UserID, id, in.Name, in.RawBody)
			if err != nil {
				return v2.Attachment{}, err
			}
			return v2.NewAttachment(a), nil
		})
	v2.HandleDownload(r, v2.UserOp("GET /user/ticket-attachments/{attachment_id}").OpenToVisits().
		Named("ticket_attachment_get", "A file of one of the user's tickets, or an upload of theirs"),
		func(ctx context.Context, who account.Identity, in *v2.FileID) (*v2.Download, error) {
			id, err := in.UUID()
			if err != nil {
				return nil, err
			}
			a, content, err := t.File(ctx, who.UserID, id)
			if err != nil {
				return nil, err
			}
			return &v2.Download{Name: a.Name, MediaType: a.MediaType, Size: a.Size, Content: content}, nil
		})
	v2.Handle(r, v2.UserOp("DELETE /user/ticket-attachments/{attachment_id}").
		Named("ticket_attachment_remove", "Remove an upload that was not sent yet. 409 attachment_sent"),
		func(ctx context.Context, who account.Identity, in *v2.FileID) (v2.Empty, error) {
			id, err := in.UUID()
			if err != nil {
				return v2.Empty{}, err
			}
			return v2.Empty{}, t.RemoveUpload(ctx, who.UserID, id)
		})
}
