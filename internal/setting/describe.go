package setting

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// Area is a part of the settings: those that the operator thinks of together.
type Area string

// The areas, as they are listed in Areas.
const (
	AreaSite        Area = "site"
	AreaLook        Area = "look"
	AreaLegal       Area = "legal"
	AreaSignUp      Area = "sign_up"
	AreaMail        Area = "mail"
	AreaCaptcha     Area = "captcha"
	AreaTelegram    Area = "telegram"
	AreaTickets     Area = "tickets"
	AreaAttachments Area = "attachments"
	AreaMoney       Area = "money"
	AreaInvites     Area = "invites"
	AreaCheckIn     Area = "check_in"
	AreaLinks       Area = "links"
	AreaNodes       Area = "nodes"
	AreaTraffic     Area = "traffic"
	AreaServices    Area = "services"
)

// AreaWords is an area with its name.
type AreaWords struct {
	Area Area
	Name fault.Text
}

// Kind says how a setting is filled in.
type Kind string

// The kinds of settings.
const (
	KindText     Kind = "text"
	KindLong     Kind = "long_text"
	KindMarkdown Kind = "markdown"
	KindColour   Kind = "colour"
	KindNumber   Kind = "number"
	KindAmount   Kind = "amount"
	KindSwitch   Kind = "switch"
	KindChoice   Kind = "choice"
	KindTexts    Kind = "texts"
	KindNumbers  Kind = "numbers"
	KindAmounts  Kind = "amounts"
	KindClasses  Kind = "class_names"
)

// kinds are those that follow from the type of a field alone.
var kinds = map[reflect.Type]Kind{
	reflect.TypeFor[string](): KindText, reflect.TypeFor[int](): KindNumber, reflect.TypeFor[int64](): KindNumber,
	reflect.TypeFor[bool](): KindSwitch, reflect.TypeFor[money.Amount](): KindAmount,
	reflect.TypeFor[fault.Lang](): KindChoice, reflect.TypeFor[[]string](): KindTexts,
	reflect.TypeFor[[]int64](): KindNumbers, reflect.TypeFor[[]money.Amount](): KindAmounts,
	reflect.TypeFor[[]ClassName](): KindClasses,
}

// Choice is one of the values of a setting that is chosen.
type Choice struct {
	Value string
	Words fault.Text
}

// Description is all that a form needs to know of a setting.
type Description struct {
	Name        string
	Area        Area
	Kind        Kind
	Title, Hint fault.Text
	Unit        fault.Text
	Least, Most string // of numbers and amounts; empty: no bound
	Choices     []Choice
	// Sensitive are all settings but those that are declared to be for every day: those of money and of what is worth
	// money, those that weaken the site, that delete what it knows, or that say where codes, keys and what is known of
	// users are sent. Who changes them could give themselves money or make themselves an owner.
	Sensitive bool
}

// Descriptions are those of all settings, by area and in the order of the fields of Site.
var Descriptions = describe()

// Describe returns the description of a setting; false where there is none of this name.
func Describe(name string) (Description, bool) {
	i := slices.IndexFunc(Descriptions, func(d Description) bool { return d.Name == name })
	if i < 0 {
		return Description{}, false
	}
	return Descriptions[i], true
}

func describe() (all []Description) {
	site := reflect.TypeFor[Site]()
	for _, area := range Areas {
		for i := range site.NumField() {
			field := site.Field(i)
			name := field.Tag.Get("json")
			w, described := words[name]
			if !described {
				panic("setting: " + name + " has no words")
			}
			if w.area == area.Area {
				all = append(all, w.description(name, field.Type))
			}
		}
	}
	return all
}

func (w wording) description(name string, kind reflect.Type) Description {
	d := Description{
		Name: name, Area: w.area, Kind: kinds[kind], Title: fault.Text{ZH: w.zh, EN: w.en},
		Hint: fault.Text{ZH: w.hintZH, EN: w.hintEN}, Unit: units[w.unit], Sensitive: !w.everyday,
	}
	if w.long {
		d.Kind = KindLong
	}
	if w.kind != "" {
		d.Kind = w.kind
	}
	if b, ok := bounds[name]; ok {
		d.Least, d.Most = strconv.Itoa(b.least), strconv.Itoa(b.most)
	}
	if least, ok := minAmounts[name]; ok {
		d.Least, d.Most = least.String(), money.Max.String()
	}
	values := choicesOf[name]
	if name == "currency" {
		values = money.Currencies
	}
	for _, value := range values {
		d.Kind = KindChoice
		text, ok := choiceWords[value]
		if !ok {
			text = fault.Text{ZH: value, EN: value}
		}
		d.Choices = append(d.Choices, Choice{value, text})
	}
	return d
}

// Value returns the value of the setting called name as JSON; nil where there is none of this name.
func (s Site) Value(name string) json.RawMessage {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("json") != name {
			continue
		}
		if v.Field(i).Kind() == reflect.Slice && v.Field(i).IsNil() {
			return json.RawMessage("[]")
		}
		value, err := json.Marshal(v.Field(i).Interface())
		if err != nil {
			panic(err) // it came from JSON
		}
		return value
	}
	return nil
}
