package staff

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/permission"
	"airstrip/internal/ticket"
)

// ticketFiles adds the files of tickets, for staff.
func ticketFiles(r *v2.Router, t *ticket.Tickets) {
	v2.HandleUpload(r, v2.StaffOp("PUT /staff/ticket-attachments/{attachment_id}", permission.TicketAnswer).
		Named("staff_ticket_attachment_upload", "Upload a picture or text of at most 5 MB under a new UUID, before "+
			"the answer that sends it; repeated under the same one it changes nothing. 422 attachment_type").
		WithoutVersion("it makes a file and overwrites none"),
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
	v2.HandleDownload(r, v2.StaffOp("GET /staff/ticket-attachments/{attachment_id}", permission.TicketRead).
		Named("staff_ticket_attachment_get", "A file of any ticket, or an upload of one's own"),
		func(ctx context.Context, who account.Identity, in *v2.FileID) (*v2.Download, error) {
			id, err := in.UUID()
			if err != nil {
				return nil, err
			}
			a, content, err := t.AnyFile(ctx, who.UserID, id)
			if err != nil {
				return nil, err
			}
			return &v2.Download{Name: a.Name, MediaType: a.MediaType, Size: a.Size, Content: content}, nil
		})
	v2.Handle(r, v2.StaffOp("DELETE /staff/ticket-attachments/{attachment_id}", permission.TicketManage).
		Named("staff_ticket_attachment_remove", "Remove a file from the message that it was sent with, or an upload of one's own"),
		func(ctx context.Context, who account.Identity, in *v2.FileID) (v2.Empty, error) {
			id, err := in.UUID()
			if err != nil {
				return v2.Empty{}, err
			}
			return v2.Empty{}, t.RemoveFile(ctx, who.UserID, id)
		})
}
