package telegram_test

import (
	"encoding/json"
	"testing"
)

func TestBot_Menu_DoesWhatTheCommandsDo(t *testing.T) {
	each(t, func(w *world) {
		w.service(w.linked("lin@example.com", lin).ID)
		w.Say(lin, "/start")
		menu := w.says("Linked to").Markup.Rows
		if len(menu) != 2 || len(menu[1]) != 3 || menu[1][2].URL != site+"/user/dashboard" {
			w.Fatalf("the menu is %+v", menu)
		}
		w.Press(lin, menu[0][0])
		w.says("Account: l***@example.com", "Plan: P")
		w.Press(lin, menu[0][1])
		w.says("/link/of/")
		w.Press(lin, menu[1][0])
		w.says("Checked in")
		w.must(w.settings.Set(w.Context(), map[string]json.RawMessage{"checkin": json.RawMessage("false")}))
		w.Say(lin, "/start")
		if menu := w.says("Linked to").Markup.Rows; len(menu[1]) != 2 {
			w.Errorf("without check-in the menu is %+v", menu)
		}
	})
}
