package staff

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"reflect"
	"slices"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

type settingArea struct {
	Area setting.Area `json:"area"`
	Name string       `json:"name"`
}

type settingChoice struct {
	Value string `json:"value"`
	Text  string `json:"text"`
}

type settingItem struct {
	Name        string          `json:"name"`
	Area        setting.Area    `json:"area"`
	Kind        setting.Kind    `json:"kind" enum:"text,long_text,markdown,colour,number,amount,switch,choice,texts,numbers,amounts,class_names"`
	Title       string          `json:"title" doc:"In the caller's language"`
	Hint        string          `json:"hint"`
	Unit        string          `json:"unit"`
	Least       string          `json:"least" doc:"Of numbers and amounts; empty: no bound"`
	Most        string          `json:"most"`
	Choices     []settingChoice `json:"choices"`
	Value       json.RawMessage `json:"value" doc:"As the kind says: a string, an integer, a boolean, or a list of them"`
	Default     json.RawMessage `json:"default"`
	IsSensitive bool            `json:"is_sensitive" doc:"Whether changing it needs the permission setting.sensitive.write"`
	IsChanged   bool            `json:"is_changed" doc:"Whether the value differs from the default"`
	ChangedAt   *time.Time      `json:"changed_at" nullable:"true"`
	ChangedBy   string          `json:"changed_by" doc:"Who changed it last, as the audit log knows; may be empty"`
}

type settingSecret struct {
	Name  string       `json:"name"`
	Area  setting.Area `json:"area"`
	Title string       `json:"title"`
	IsSet bool         `json:"is_set"`
	SetAt *time.Time   `json:"set_at" nullable:"true"`
}

type settingList struct {
	Areas    []settingArea   `json:"areas"`
	Settings []settingItem   `json:"settings" doc:"By area"`
	Secrets  []settingSecret `json:"secrets" doc:"Passwords and keys, which are written and never read"`
	v2.Version
}

type settingChange struct {
	Values  map[string]json.RawMessage `json:"values,omitempty" doc:"By name"`
	Reset   []string                   `json:"reset,omitempty" maxItems:"500" doc:"Names of those that get their defaults again"`
	Secrets map[string]string          `json:"secrets,omitempty" doc:"By name; an empty one is removed"`
	Reason  string                     `json:"reason,omitempty" maxLength:"500"`
}

// settingChangeBody has a name of its own for the contract, which calls bodies by their types.
type settingChangeBody = v2.Body[settingChange]

type settingVersion struct {
	EntryID   int64           `json:"entry_id" doc:"Of the audit log"`
	At        time.Time       `json:"at"`
	By        string          `json:"by"`
	Before    json.RawMessage `json:"before"`
	After     json.RawMessage `json:"after"`
	Reason    string          `json:"reason"`
	IsPresent bool            `json:"is_present" doc:"Whether the setting has this value now"`
}

type settings struct {
	settings *setting.Settings
	secrets  *secret.Secrets
	log      *audit.Log
	accounts *account.Accounts
}

// Settings adds what the operator may change while the server runs.
func Settings(s *setting.Settings, secrets *secret.Secrets, log *audit.Log, a *account.Accounts) v2.Resource {
	all := settings{s, secrets, log, a}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/settings", permission.SettingRead).
			Named("staff_settings", "All settings with their words, bounds, defaults and values"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (settingList, error) {
				version, err := r.Version(ctx, setting.Object)
				if err != nil {
					return settingList{}, err
				}
				list, err := all.list(ctx)
				list.Version = version
				return list, err
			})
		v2.HandleChange(r, v2.StaffOp("PATCH /staff/settings", permission.SettingWrite).
			Named("staff_settings_change", "Change and reset settings and set secrets, all of it or nothing"),
			func(*settingChangeBody) audit.Object { return setting.Object },
			func(ctx context.Context, _ *settingChangeBody) (settingList, error) { return all.list(ctx) },
			func(ctx context.Context, who account.Identity, in *settingChangeBody) (settingList, error) {
				if err := all.change(ctx, who, &in.Body); err != nil {
					return settingList{}, err
				}
				return all.list(ctx)
			})
		v2.HandleList(r, v2.StaffOp("GET /staff/settings/{name}/history", permission.SettingRead).
			Named("staff_setting_history", "What a setting was, who changed it and why, newest first"),
			func(ctx context.Context, _ account.Identity, in *struct {
				Name string `path:"name" maxLength:"64"`
			},
			) ([]settingVersion, error) {
				return all.history(ctx, in.Name)
			})
	}
}

var errNoSetting = fault.NotFound("setting_not_found", "没有这个设置", "There is no such setting")

func (s settings) change(ctx context.Context, who account.Identity, in *settingChange) error {
	c := setting.Change{Values: in.Values, Reset: in.Reset, Reason: in.Reason}
	if refused := who.Admit(permission.SettingSensitive, false); refused != nil {
		var wrong fault.Problems
		names := c.Names()
		for name := range in.Secrets {
			names = append(names, name)
		}
		for _, name := range names {
			d, known := setting.Describe(name)
			_, isSecret := in.Secrets[name]
			wrong.When(isSecret || known && d.Sensitive, name, "owner", "只有站长可以修改此项",
				"Only owners may change this")
		}
		if err := wrong.Err(); err != nil {
			if errors.Is(refused, account.ErrStepUp) {
				return refused
			}
			return err
		}
	}
	if err := s.checkReceivers(ctx, in); err != nil {
		return err
	}
	if err := checkStaffNetworks(in.Values["staff_networks"], api.CallerOf(ctx).IP); err != nil {
		return err
	}
	if len(in.Secrets) > 0 {
		c.Also = s.secrets.Setting(in.Secrets, in.Reason)
	}
	return s.settings.Change(ctx, c)
}

// checkReceivers refuses to send a secret that is there already to somebody else: who may replace a secret may not read
// it, and would by naming an address of their own.
func (s settings) checkReceivers(ctx context.Context, in *settingChange) error {
	present, err := s.secrets.Present(ctx)
	if err != nil {
		return err
	}
	now := s.settings.Get()
	var wrong fault.Problems
	for name, words := range setting.SecretWords {
		_, isPresent := present[name]
		_, isGiven := in.Secrets[name]
		elsewhere := slices.ContainsFunc(words.SentTo, func(to string) bool {
			value, changes := in.Values[to]
			return changes && string(value) != `""` && !sameJSON(value, now.Value(to))
		})
		wrong.When(isPresent && !isGiven && elsewhere, name, "again", "接收方已更改，请重新填写此密钥",
			"It would go to another receiver now; please give it again")
	}
	return wrong.Err()
}

// checkStaffNetworks refuses a list of networks in which the caller's own address is not: they would lock themselves
// out.
func checkStaffNetworks(value json.RawMessage, caller netip.Addr) error {
	var to setting.Site
	if value == nil || json.Unmarshal(value, &to.StaffNetworks) != nil { // another form is refused elsewhere
		return nil
	}
	var wrong fault.Problems
	wrong.When(!to.StaffMayCallFrom(caller), "staff_networks", "locks_out",
		"你当前的地址 "+caller.String()+" 不在其中，保存后你将无法操作",
		"Your own address, "+caller.String()+", is in none of these: you would lock yourself out")
	return wrong.Err()
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func (s settings) list(ctx context.Context) (settingList, error) {
	lang := api.CallerOf(ctx).Lang
	out := settingList{[]settingArea{}, []settingItem{}, []settingSecret{}, v2.Version{}}
	for _, a := range setting.Areas {
		out.Areas = append(out.Areas, settingArea{a.Area, a.Name.In(lang)})
	}
	changed, err := s.settings.Changed(ctx)
	if err != nil {
		return out, err
	}
	by, err := s.changers(ctx)
	if err != nil {
		return out, err
	}
	now, defaults := s.settings.Get(), setting.Defaults()
	for _, d := range setting.Descriptions {
		item := settingItem{
			Name: d.Name, Area: d.Area, Kind: d.Kind, Title: d.Title.In(lang), Hint: d.Hint.In(lang),
			Unit: d.Unit.In(lang), Least: d.Least, Most: d.Most, Choices: []settingChoice{},
			Value: now.Value(d.Name), Default: defaults.Value(d.Name), IsSensitive: d.Sensitive, ChangedBy: by[d.Name],
		}
		for _, c := range d.Choices {
			item.Choices = append(item.Choices, settingChoice{c.Value, c.Words.In(lang)})
		}
		item.IsChanged = string(item.Value) != string(item.Default)
		if at, ok := changed[d.Name]; ok {
			item.ChangedAt = &at
		}
		out.Settings = append(out.Settings, item)
	}
	present, err := s.secrets.Present(ctx)
	for _, name := range secret.Names {
		w := setting.SecretWords[name]
		item := settingSecret{Name: name, Area: w.Area, Title: w.Title.In(lang)}
		if at, ok := present[name]; ok {
			item.IsSet, item.SetAt = true, &at
		}
		out.Secrets = append(out.Secrets, item)
	}
	return out, err
}

// maxSettingEntries is how many entries of the audit log are looked through for who changed what.
const maxSettingEntries = 1000

// entries calls fn with each change of the settings, the newest first, and who made it.
func (s settings) entries(ctx context.Context, fn func(e *audit.Entry, by string, before, after values)) error {
	found, _, err := s.log.Find(ctx, audit.Filter{Action: "setting.change", Limit: maxSettingEntries})
	if err != nil {
		return err
	}
	var ids []int64
	for _, e := range found {
		if e.ActorID != nil && !slices.Contains(ids, *e.ActorID) {
			ids = append(ids, *e.ActorID)
		}
	}
	emails, err := s.accounts.Emails(ctx, ids)
	if err != nil {
		return err
	}
	for i := range found {
		e := &found[i]
		by := e.ActorName
		if e.ActorID != nil && emails[*e.ActorID] != "" {
			by = emails[*e.ActorID]
		}
		fn(e, by, valuesOf(e.Before), valuesOf(e.After))
	}
	return nil
}

// values are settings by name, as an entry of the audit log has them.
type values map[string]json.RawMessage

// valuesOf reads a side of an entry. One that was too long to store has only its checksum, and names no setting.
func valuesOf(side string) values {
	var v values
	if err := json.Unmarshal([]byte(side), &v); err != nil {
		return nil
	}
	return v
}

// changers returns who changed each setting last, by its name.
func (s settings) changers(ctx context.Context) (map[string]string, error) {
	by := map[string]string{}
	err := s.entries(ctx, func(_ *audit.Entry, who string, _, after values) {
		for name := range after {
			if _, later := by[name]; !later {
				by[name] = who
			}
		}
	})
	return by, err
}

func (s settings) history(ctx context.Context, name string) (out []settingVersion, err error) {
	now := s.settings.Get().Value(name)
	if now == nil {
		return nil, errNoSetting
	}
	err = s.entries(ctx, func(e *audit.Entry, by string, before, after values) {
		if value, ok := after[name]; ok {
			out = append(out, settingVersion{
				e.ID, e.At.UTC(), by, orNull(before[name]), value, e.Reason, string(value) == string(now),
			})
		}
	})
	return out, err
}

// orNull gives a value that JSON can hold; the settings of older versions were not known.
func orNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}
