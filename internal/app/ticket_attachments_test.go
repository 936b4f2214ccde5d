package app

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
)

const (
	uploadPath      = "/api/v2/user/ticket-attachments/"
	staffUploadPath = "/api/v2/staff/ticket-attachments/"
)

type fileSeen struct {
	ID            string
	Name          string
	MediaType     string `json:"media_type"`
	Size          int64
	Width, Height int
}

// send calls with a body that is no JSON.
func (h *fixture) send(as testUser, method, path string, body []byte) *httptest.ResponseRecorder {
	h.Helper()
	req := httptest.NewRequestWithContext(h.Context(), method, path, bytes.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+h.present(as).bearer)
	req.Header.Set("Content-Type", "application/octet-stream")
	w := httptest.NewRecorder()
	h.root.ServeHTTP(w, req)
	return w
}

func (h *fixture) upload(as testUser, path, name string, body []byte) fileSeen {
	h.Helper()
	w := h.send(as, "PUT", path+uuid.NewString()+"?name="+name, body)
	f, err := answer[fileSeen](w)
	if w.Code != 200 || err != nil {
		h.Fatalf("uploading %s answers %d %s %v", name, w.Code, w.Body, err)
	}
	return f
}

// filesOnDisk counts what the folder of attachments holds.
func (h *fixture) filesOnDisk() (n int) {
	h.Helper()
	found, err := filepath.Glob(filepath.Join(h.cfg.Data, "attachments", "*", "*"))
	if err != nil {
		h.Fatal(err)
	}
	return len(found)
}

// clean runs the timetable after a time.
func (h *fixture) clean(after time.Duration) {
	h.Helper()
	h.now = h.now.Add(after)
	if err := h.Queue.Trigger(h.Context(), "ticket.forget"); err != nil {
		h.Fatal(err)
	}
}

func screenshot(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 12, 8))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTicketAttachment_FromUploadToDownload(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user, other, support := h.users[0], h.users[1], h.staff[account.Support]
		picture := h.upload(user, uploadPath, "a%20b.png", screenshot(h.T))
		log := h.upload(user, uploadPath, "page.html", []byte("<script>alert(1)</script>"))
		if picture.MediaType != "image/png" || picture.Width != 12 || picture.Height != 8 ||
			log.MediaType != "text/plain" || log.Name != "page.html.txt" {
			h.Errorf("uploaded: %+v %+v", picture, log)
		}
		if w := h.send(other, "GET", uploadPath+picture.ID, nil); w.Code != 404 {
			h.Errorf("another user gets an upload: %d", w.Code)
		}
		if w := h.send(support, "GET", staffUploadPath+picture.ID, nil); w.Code != 404 {
			h.Errorf("staff gets an upload that was not sent: %d", w.Code)
		}
		body := fmt.Sprintf(`{"title":"It fails","content":"see","attachments":[%q,%q]}`, picture.ID, log.ID)
		h.ask(other, 422, "POST", ticketPath, body, nil)
		var k ticketSeen
		h.ask(user, 200, "POST", ticketPath, body, &k)
		h.ask(user, 422, "POST", fmt.Sprintf("%s/%d/messages", ticketPath, k.No),
			fmt.Sprintf(`{"content":"again","attachments":[%q]}`, picture.ID), nil)
		var c struct {
			Messages []struct{ Attachments []fileSeen }
		}
		h.ask(user, 200, "GET", fmt.Sprintf("%s/%d/messages", ticketPath, k.No), "", &c)
		if len(c.Messages) != 1 || len(c.Messages[0].Attachments) != 2 || c.Messages[0].Attachments[0] != picture {
			h.Fatalf("the messages are %+v", c)
		}
		for as, path := range map[testUser]string{
			user: uploadPath, support: staffUploadPath, h.staff[account.Viewer]: staffUploadPath,
		} {
			w := h.send(as, "GET", path+log.ID, nil)
			if w.Code != 200 || w.Body.String() != "<script>alert(1)</script>" ||
				w.Header().Get("Content-Type") != "text/plain; charset=utf-8" ||
				w.Header().Get("X-Content-Type-Options") != "nosniff" ||
				w.Header().Get("Content-Security-Policy") != "default-src 'none'; sandbox" ||
				w.Header().Get("Cache-Control") != "no-store" ||
				w.Header().Get("Content-Disposition") !=
					`attachment; filename="page.html.txt"; filename*=UTF-8''page.html.txt` {
				h.Errorf("a download is %d %v %s", w.Code, w.Header(), w.Body)
			}
		}
		for as, path := range map[testUser]string{other: uploadPath, {}: uploadPath, user: staffUploadPath} {
			if w := h.send(as, "GET", path+log.ID, nil); w.Code == 200 {
				h.Errorf("%s%s is open to %d", path, log.ID, as.id)
			}
		}
		if w := h.send(user, "DELETE", uploadPath+log.ID, nil); w.Code != 409 {
			h.Errorf("a user takes back what was sent: %d", w.Code)
		}
		note := h.upload(support, staffUploadPath, "note.txt", []byte("hidden"))
		h.ask(support, 200, "POST", fmt.Sprintf("/api/v2/staff/tickets/%d/notes", k.No),
			fmt.Sprintf(`{"content":"","attachments":[%q]}`, note.ID), nil)
		if w := h.send(user, "GET", uploadPath+note.ID, nil); w.Code != 404 {
			h.Errorf("a user gets the file of a note: %d", w.Code)
		}
		answered := h.upload(support, staffUploadPath, "howto.png", screenshot(h.T))
		h.answerTicket(support, k.No, fmt.Sprintf(`{"content":"","attachments":[%q]}`, answered.ID))
		if w := h.send(user, "GET", uploadPath+answered.ID, nil); w.Code != 200 {
			h.Errorf("a user does not get the file of an answer: %d", w.Code)
		}
		h.ask(support, 422, "POST", fmt.Sprintf("/api/v2/staff/tickets/%d/messages", k.No), `{"content":""}`, nil)
		if w := h.send(support, "DELETE", staffUploadPath+log.ID, nil); w.Code != 200 {
			h.Errorf("staff cannot remove a file: %d %s", w.Code, w.Body)
		}
		if w := h.send(user, "GET", uploadPath+log.ID, nil); w.Code != 404 {
			h.Errorf("a removed file is there: %d", w.Code)
		}
		var rows []struct{ Attachments []fileSeen }
		h.ask(user, 200, "GET", fmt.Sprintf("/v1/user/ticket/%d/view", k.No), "", &rows)
		if len(rows) != 2 || len(rows[1].Attachments) != 1 {
			h.Errorf("v1 shows %+v", rows)
		}
	})
}

func TestTicketAttachment_RepeatedUpload_KeepsOne(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id, user := uuid.NewString(), h.users[0]
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				if w := h.send(user, "PUT", uploadPath+id+"?name=a.log", []byte("a log")); w.Code != 200 {
					h.Errorf("an upload answers %d %s", w.Code, w.Body)
				}
			})
		}
		wg.Wait()
		if w := h.send(user, "PUT", uploadPath+id+"?name=a.log", []byte("a log")); w.Code != 200 {
			h.Fatalf("the last upload answers %d %s", w.Code, w.Body)
		}
		if w := h.send(user, "GET", uploadPath+id, nil); w.Body.String() != "a log" {
			h.Errorf("the upload is %s", w.Body)
		}
		if w := h.send(h.users[1], "PUT", uploadPath+id+"?name=a.log", []byte("other")); w.Code != 409 {
			h.Errorf("another user uploads under the same id: %d", w.Code)
		}
		h.clean(6 * time.Minute)
		if n := h.filesOnDisk(); n != 1 {
			h.Errorf("%d files are left, want 1", n)
		}
	})
}

func TestTicketAttachment_SameIDOfTwoUsersAtOnce_IsTaken(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		users := []testUser{h.present(h.users[0]), h.present(h.users[1])}
		for range 15 {
			id := uuid.NewString()
			codes := make([]int, len(users))
			var wg sync.WaitGroup
			for i, u := range users {
				wg.Go(func() {
					w := h.send(u, "PUT", uploadPath+id+"?name=a.log", []byte("a log"))
					codes[i] = w.Code
					if w.Code == 409 && !strings.Contains(w.Body.String(), "attachment_id_taken") {
						h.Errorf("the second user gets %s", w.Body)
					}
				})
			}
			wg.Wait()
			slices.Sort(codes)
			if !slices.Equal(codes, []int{200, 409}) {
				h.Fatalf("two users upload under one id and get %v, want 200 and 409", codes)
			}
		}
	})
}

// Whoever uploads and takes back in a loop gets no more room than the quota, also before the job removes what is left.
func TestTicketAttachment_UploadedAndTakenBack_TakesNoRoom(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user, body := h.users[0], bytes.Repeat([]byte("a"), 1<<20)
		for range 5 {
			f := h.upload(user, uploadPath, "a.log", body)
			if w := h.send(user, "DELETE", uploadPath+f.ID, nil); w.Code != 200 {
				h.Fatal(w.Body)
			}
		}
		if n := h.filesOnDisk(); n != 0 {
			h.Errorf("%d files that were taken back are on disk", n)
		}
		if err := h.Settings.Set(h.Context(), settings(`{"attachment_quota_mb":2}`)); err != nil {
			h.Fatal(err)
		}
		// A file that cannot be removed at once counts until it is gone.
		f := h.upload(user, uploadPath, "a.log", body)
		folders, err := filepath.Glob(filepath.Join(h.cfg.Data, "attachments", "*", "*"))
		if err != nil || len(folders) != 1 {
			h.Fatal(folders, err)
		}
		if err := errors.Join(os.Remove(folders[0]), os.MkdirAll(filepath.Join(folders[0], "x"), 0o700)); err != nil {
			h.Fatal(err)
		}
		if w := h.send(user, "DELETE", uploadPath+f.ID, nil); w.Code != 200 {
			h.Fatal(w.Body)
		}
		h.upload(user, uploadPath, "a.log", body)
		w := h.send(user, "PUT", uploadPath+uuid.NewString()+"?name=a.log", body)
		if w.Code != 409 || !strings.Contains(w.Body.String(), "attachment_quota") {
			h.Errorf("beside a file that is still to be removed an upload answers %d %s", w.Code, w.Body)
		}
	})
}

func TestTicketAttachment_WhatIsNotNeeded_IsRemoved(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		sent := h.upload(user, uploadPath, "a.png", screenshot(h.T))
		h.upload(user, uploadPath, "never.log", []byte("never sent"))
		taken := h.upload(user, uploadPath, "taken.log", []byte("taken back"))
		h.ask(user, 200, "POST", ticketPath, fmt.Sprintf(`{"title":"a","content":"b","attachments":[%q]}`, sent.ID), nil)
		if w := h.send(user, "DELETE", uploadPath+taken.ID, nil); w.Code != 200 {
			h.Fatal(w.Body)
		}
		h.clean(6 * time.Minute)
		if n := h.filesOnDisk(); n != 2 {
			h.Errorf("%d files after one was taken back, want 2", n)
		}
		h.clean(25 * time.Hour)
		h.clean(6 * time.Minute)
		if n := h.filesOnDisk(); n != 1 {
			h.Errorf("%d files a day later, want the one that was sent", n)
		}
		unsent := h.upload(user, uploadPath, "b.log", []byte("not sent"))
		h.closeAccount(user)
		h.clean(6 * time.Minute)
		if n := h.filesOnDisk(); n != 0 {
			h.Errorf("%d files of a closed account are left, with %s", n, unsent.ID)
		}
	})
}

func TestTicketAttachment_Limits(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.users[0]
		if err := h.Settings.Set(h.Context(), settings(`{"attachment_quota_mb":6}`)); err != nil {
			h.Fatal(err)
		}
		put := func(body []byte) (int, string) {
			w := h.send(user, "PUT", uploadPath+uuid.NewString()+"?name=a.log", body)
			return w.Code, w.Body.String()
		}
		if code, body := put(bytes.Repeat([]byte("a"), 5<<20+1)); code != 413 {
			h.Errorf("a file of more than 5 MB answers %d %s", code, body)
		}
		if code, body := put(bytes.Repeat([]byte("a"), 5<<20)); code != 200 {
			h.Errorf("a file of 5 MB answers %d %s", code, body)
		}
		if code, body := put(bytes.Repeat([]byte("a"), 2<<20)); code != 409 || !strings.Contains(body, "attachment_quota") {
			h.Errorf("a file beyond the quota answers %d %s", code, body)
		}
		if code, body := put([]byte("PK\x03\x04\x00")); code != 422 || !strings.Contains(body, "attachment_type") {
			h.Errorf("an archive answers %d %s", code, body)
		}
		if w := h.send(user, "POST", ticketPath, bytes.Repeat([]byte(" "), 2<<20)); w.Code != 413 {
			h.Errorf("another operation takes 2 MB: %d", w.Code)
		}
		for i := range 19 {
			if code, body := put([]byte("small")); code != 200 {
				h.Fatalf("upload %d answers %d %s", i, code, body)
			}
		}
		if code, body := put([]byte("small")); code != 409 || !strings.Contains(body, "too_many_uploads") {
			h.Errorf("more than may wait answers %d %s", code, body)
		}
		var ids []string
		for range 6 {
			ids = append(ids, `"`+uuid.NewString()+`"`)
		}
		h.ask(user, 422, "POST", ticketPath,
			`{"title":"a","content":"b","attachments":[`+strings.Join(ids, ",")+`]}`, nil)
	})
}

func TestTicketAttachment_FileThatIsNotThere_IsNotFound(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		f := h.upload(h.users[0], uploadPath, "a.log", []byte("a"))
		if err := os.RemoveAll(filepath.Join(h.cfg.Data, "attachments")); err != nil {
			h.Fatal(err)
		}
		if w := h.send(h.users[0], "GET", uploadPath+f.ID, nil); w.Code != 404 {
			h.Errorf("a file that a restore left out answers %d", w.Code)
		}
	})
}
