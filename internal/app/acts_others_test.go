package app

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/job"
	"airstrip/internal/shop"
	"airstrip/internal/sitepicture"
)

// siteActs are all others: those about users, members of staff, settings and jobs.
func (h *actSite) siteActs() map[string]func() act {
	return map[string]func() act{
		"staff_approval_decide": func() act {
			h.addAdjustment()
			return h.staffCall(h.bob, "approvals/%d/decision", `{"approve":true}`, h.newestAct().ID)
		},
		"staff_settings_change": func() act {
			return h.staffCall(h.owner, "settings", `{"values":{"site_name":"Other"},"reset":["ticket_max_open"],`+
				`"secrets":{"smtp_password":"hunter2-smtp"},"reason":"why"}`)
		},
		"staff_setting_test": func() act { return h.staffCall(h.admin, "settings/tests/attachments", "") },
		"staff_job_run":      func() act { return h.staffCall(h.admin, "jobs/timetable/service.expire/run", "") },
		"staff_job_retry": func() act {
			h.must(h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
				h.must(job.Add(ctx, tx, h.DB.Now(), "nothing", 0, job.Options{}))
				_, err := tx.NewRaw(`UPDATE job SET failed = ?, ended_at = ? WHERE kind = 'nothing'`, true, h.DB.Now()).
					Exec(ctx)
				return err
			}))
			failed, _, err := h.Queue.Find(h.Context(), job.Failed, "nothing", 1, 0)
			h.must(err)
			return h.staffCall(h.admin, "jobs/%d/retry", "", failed[0].ID)
		},
		"staff_role_make": func() act {
			return h.staffCall(h.owner, "roles", `{"name":"Night shift","permissions":["ticket.read"]}`)
		},
		"staff_role_change": func() act {
			return h.staffCall(h.owner, "roles/%d", `{"permissions":["ticket.read","ticket.answer"]}`, h.addRole("a").ID)
		},
		"staff_role_remove": func() act { return h.staffCall(h.owner, "roles/%d", "", h.addRole("b").ID) },
		"staff_member_add": func() act {
			return h.staffCall(h.owner, "members", `{"email":"user1@example.com","role":"viewer","reason":"x"}`)
		},
		"staff_member_change": func() act {
			h.must(h.Accounts.SetRole(h.Context(), "user1@example.com", account.Viewer))
			return h.staffCall(h.owner, "members/%d", `{"role":"support","reason":"x"}`, h.users[1].id)
		},
		"staff_member_remove": func() act {
			h.must(h.Accounts.SetRole(h.Context(), "user1@example.com", account.Viewer))
			return h.staffCall(h.owner, "members/%d?reason=x", "", h.users[1].id)
		},
		"staff_signing_key_rotate": func() act {
			return h.staffCall(h.owner, "signing-key/rotate", `{"revoke":false,"reason":"a year has passed"}`)
		},
		"staff_emby_set": func() act { return h.staffCall(h.admin, "emby/%d", `{"state":"disabled"}`, h.user.id) },
		"staff_site_picture_set": func() act {
			h.must(h.Pictures.Set(h.Context(), sitepicture.Logo, samplePNG(192)))
			return h.staffCall(h.admin, "site-pictures/logo", `{"data":"`+base64.StdEncoding.EncodeToString(samplePNG(256))+`"}`)
		},
		"staff_site_picture_remove": func() act {
			h.must(h.Pictures.Set(h.Context(), sitepicture.Icon, samplePNG(192)))
			return h.staffCall(h.admin, "site-pictures/icon", "")
		},
		"staff_audit_csv":         func() act { return h.staffCall(h.admin, "audit/csv", "") },
		"staff_audit_records_csv": func() act { return h.staffCall(h.admin, "audit-records/csv", "") },
		"staff_users_csv":         func() act { return h.staffCall(h.admin, "users/csv", "") },
		"staff_services_csv":      func() act { return h.staffCall(h.admin, "services/csv", "") },
		"staff_user_add":          func() act { return h.staffCall(h.admin, "users", `{"email":"new-one@example.com"}`) },
		"staff_users_import": func() act {
			return h.staffCall(h.admin, "users/import",
				`{"csv":"email,hash,kind\nimported@example.com,f4a124188f53422f98b3451bf03a8f28,md5\n"}`)
		},
		"staff_user_sessions_end": func() act {
			return h.staffCall(h.support, "users/%d/sessions/end", `{"reason":"asked"}`, h.users[1].id)
		},
		"staff_user_sign_in_as": func() act {
			return h.staffCall(h.admin, "users/%d/sign-in-as", `{"reason":"asked"}`, h.user.id)
		},
		"staff_api_key_make": func() act {
			return h.staffCall(h.owner, "api-keys", `{"name":"dashboards","scopes":["grafana"],"reason":"for Grafana"}`)
		},
		"staff_api_key_rotate": func() act {
			return h.staffCall(h.owner, "api-keys/%d/rotate", `{"reason":"it leaked"}`, h.addKey())
		},
		"staff_api_key_revoke": func() act { return h.staffCall(h.owner, "api-keys/%d", "", h.addKey()) },
		"staff_user_two_factor_off": func() act {
			h.must(h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(`INSERT INTO totp (account_id, sealed, confirmed_at, created_at, last_step)
					VALUES (?, ?, ?, ?, 0)`, h.users[1].id, []byte{1}, h.now, h.now).Exec(ctx)
				return err
			}))
			return h.staffCall(h.admin, "users/%d/two-factor/off", `{"reason":"lost"}`, h.users[1].id)
		},
		"staff_user_close": func() act {
			gone := h.addUser(h.T, "gone", 0)
			return h.staffCall(h.admin, "users/%d/close", `{"email":"gone@example.com","forfeit":"0.00","reason":"asked"}`, gone.id)
		},
		"staff_user_merge": func() act {
			kept, gone := h.addUser(h.T, fmt.Sprint("kept", time.Now().UnixNano()), 0), h.addUser(h.T, "twin", 0)
			return h.staffCall(h.admin, "users/%d/merge", fmt.Sprintf(
				`{"into_id":%d,"email":"twin@example.com","reason":"one person"}`, kept.id), gone.id)
		},
		"staff_bulk_job_make": func() act {
			return h.staffCall(h.admin, "bulk-jobs", fmt.Sprintf(
				`{"kind":"label","details":{"label":"vip"},"reason":"x","ids":[%d]}`, h.user.id))
		},
		"staff_bulk_job_start":  func() act { return h.staffCall(h.admin, "bulk-jobs/%d/start", "", h.bulkJob()) },
		"staff_bulk_job_stop":   func() act { return h.staffCall(h.admin, "bulk-jobs/%d/stop", "", h.bulkJob("start")) },
		"staff_bulk_job_resume": func() act { return h.staffCall(h.admin, "bulk-jobs/%d/resume", "", h.bulkJob("start", "stop")) },
		"staff_bulk_job_retry": func() act {
			id := h.bulkJob("start")
			h.must(h.Bulks.Run(h.Context()))
			return h.staffCall(h.admin, "bulk-jobs/%d/retry", "", id)
		},
		"staff_user_note_add": func() act { return h.staffCall(h.support, "users/%d/notes", `{"text":"kind"}`, h.user.id) },
		"staff_user_note_remove": func() act {
			n, err := h.Console.AddNote(h.Context(), h.user.id, "kind", nil)
			h.must(err)
			return h.staffCall(h.support, "users/%d/notes/%d", "", h.user.id, n.ID)
		},
		"staff_service_give": func() act {
			h.alone()
			return h.staffCall(h.admin, "users/%d/service-gifts", fmt.Sprintf(
				`{"kind":"start","plan_id":%d,"days":3,"reason":"an outage"}`, h.planOf(h.price)), h.user.id)
		},
		"staff_traffic_give": func() act {
			h.alone()
			return h.staffCall(h.admin, "users/%d/traffic-grants",
				fmt.Sprintf(`{"bytes":%d,"name":"Gift","reason":"an outage"}`, gigabyte), h.user.id)
		},
		"staff_service_end": func() act {
			h.must(h.Shop.Give(h.Context(), shop.Gift{
				UserID: h.user.id, Kind: shop.GiftStart, PlanID: new(h.planOf(h.price)), Days: 3, Reason: "x",
			}))
			services, _, err := h.Services.List(h.Context(), h.user.id)
			h.must(err)
			return h.staffCall(h.admin, "users/%d/services/%d/end", `{"reason":"fraud"}`, h.user.id, services[0].ID)
		},
		"staff_user_ban": func() act {
			return h.staffCall(h.admin, fmt.Sprintf("users/%d/bans", h.users[1].id), `{"reason": "spam"}`)
		},
		"staff_user_unban": func() act { return h.staffCall(h.admin, fmt.Sprintf("users/%d/bans", h.users[1].id), "") },
		"staff_user_labels_set": func() act {
			return h.staffCall(h.admin, fmt.Sprintf("users/%d/labels", h.user.id), `{"labels": ["vip"], "was": []}`)
		},
		"staff_statistics_users_csv":     func() act { return h.staffCall(h.admin, "statistics/users/csv", "") },
		"staff_statistics_users_parquet": func() act { return h.staffCall(h.admin, "statistics/users/parquet", "") },
		"POST /v1/admin/user_ban_task_insert": func() act {
			return act{
				as: h.admin,
				path: fmt.Sprintf("/v1/admin/user_ban_task_insert?user_id=%d&task_end_at=%s&ban_context=fraud",
					h.users[1].id, h.until),
			}
		},
		"POST /v1/admin/user_ban_task_unban": func() act {
			return act{as: h.admin, path: fmt.Sprintf("/v1/admin/user_ban_task_unban?user_id=%d", h.users[1].id)}
		},
		"POST /v1/total/traffic/user/{user_id}": func() act {
			return act{as: h.admin, path: "/v1/total/traffic/user/1?data_start_ats=2026-01-01T00:00:00Z", reads: true}
		},
		"GET /v1/casino_function": func() act {
			h.alone()
			h.must(h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(`UPDATE account SET telegram_id = 4000 + id`).Exec(ctx)
				return err
			}))
			key := h.token(h.admin.id, account.ScopePartner, account.ScopeGrant)
			return act{
				as: testUser{id: h.admin.id, bearer: key},
				path: fmt.Sprintf("/v1/casino_function?sql_table=user&sql_table_telegram_id=%d"+
					"&type_mode=add&sql_table_add_transfer_enable=%d", 4000+h.user.id, gigabyte),
			}
		},
	}
}
