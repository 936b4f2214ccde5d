package console_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/console"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// viewers adds members of staff: two who save views, and one who may change what others shared.
func viewers(t *testing.T, d *db.DB) (maker, other, admin console.Viewer) {
	t.Helper()
	mustDo(t, d, func(ctx context.Context, tx bun.Tx) error { return addUsers(ctx, tx, 1, 3) })
	reads := func(resource string) bool { return resource != "payouts" }
	return console.Viewer{UserID: 1, MayRead: reads}, console.Viewer{UserID: 2, MayRead: reads},
		console.Viewer{UserID: 3, MayRead: reads, ManagesShared: true}
}

func mustAdd(t *testing.T, c *console.Console, v console.Viewer, one console.View) console.View {
	t.Helper()
	made, err := c.AddView(t.Context(), v, one)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func namesOf(t *testing.T, c *console.Console, v console.Viewer, resource string) (names []string) {
	t.Helper()
	views, err := c.Views(t.Context(), v, resource)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range views {
		names = append(names, one.Name)
	}
	return names
}

func TestViews_AreSeenAndChangedByWhomTheyBelongTo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, ctx := newConsole(t, d), t.Context()
		maker, other, admin := viewers(t, d)
		look := console.Look{Search: "sort=-ends&state=active", Columns: "email,area", Widths: "area=60,email=800", IsDense: true}
		private := mustAdd(t, c, maker, console.View{Resource: "users", Name: " mine ", Look: look})
		shared := mustAdd(t, c, maker, console.View{Resource: "users", Name: "ours", IsShared: true})
		hidden := mustAdd(t, c, maker, console.View{Resource: "payouts", Name: "money", IsShared: true})

		if got := namesOf(t, c, maker, "users"); !slices.Equal(got, []string{"mine", "ours"}) {
			t.Errorf("the maker sees %v", got)
		}
		if got := namesOf(t, c, other, "users"); !slices.Equal(got, []string{"ours"}) {
			t.Errorf("another member sees %v", got)
		}
		if one, err := c.View(ctx, maker, private.ID); err != nil || one.Look != look {
			t.Errorf("the view has %+v, %v, want %+v", one.Look, err, look)
		}
		for _, step := range []struct {
			who  console.Viewer
			id   int64
			want error
		}{
			{other, private.ID, console.ErrNoView},
			{admin, private.ID, console.ErrNoView},
			{other, shared.ID, permission.ErrRefused},
			{admin, hidden.ID, console.ErrNoView},
			{admin, 99, console.ErrNoView},
			{admin, shared.ID, nil},
			{maker, shared.ID, nil},
		} {
			_, err := c.ChangeView(ctx, step.who, step.id, console.View{Name: "changed", IsShared: true})
			if !errors.Is(err, step.want) {
				t.Errorf("member %d changes view %d: %v, want %v", step.who.UserID, step.id, err, step.want)
			}
		}
		if err := c.RemoveView(ctx, other, shared.ID); !errors.Is(err, permission.ErrRefused) {
			t.Errorf("another member removes what is shared: %v", err)
		}
		if err := c.RemoveView(ctx, admin, shared.ID); err != nil {
			t.Error(err)
		}
		if got := namesOf(t, c, maker, "users"); !slices.Equal(got, []string{"mine"}) {
			t.Errorf("after the removal the maker sees %v", got)
		}
	})
}

func TestViews_WrongInput_NamesItsField(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newConsole(t, d)
		maker, _, _ := viewers(t, d)
		for _, wrong := range []struct {
			field string
			view  console.View
		}{
			{"name", console.View{Name: " "}},
			{"name", console.View{Name: "x\u202e"}},
			{"search", console.View{Name: "x", Look: console.Look{Search: "view=3"}}},
			{"search", console.View{Name: "x", Look: console.Look{Search: "a=1&a=2"}}},
			{"search", console.View{Name: "x", Look: console.Look{Search: "a=%zz"}}},
			{"search", console.View{Name: "x", Look: console.Look{Search: "?state=active"}}},
			{"search", console.View{Name: "x", Look: console.Look{Search: "q=%00"}}},
			{"search", console.View{Name: "x", Look: console.Look{Search: "q=%E2%80%AEx"}}},
			{"columns", console.View{Name: "x", Look: console.Look{Columns: "a,a"}}},
			{"columns", console.View{Name: "x", Look: console.Look{Columns: "<script>"}}},
			{"columns", console.View{Name: "x", Look: console.Look{Columns: "a,"}}},
			{"search", console.View{Name: "x", Look: console.Look{Search: "widths=a%3D90"}}},
			{"widths", console.View{Name: "x", Look: console.Look{Widths: "a=59"}}},
			{"widths", console.View{Name: "x", Look: console.Look{Widths: "a=801"}}},
			{"widths", console.View{Name: "x", Look: console.Look{Widths: "a=+90"}}},
			{"widths", console.View{Name: "x", Look: console.Look{Widths: "a=90,a=91"}}},
			{"widths", console.View{Name: "x", Look: console.Look{Widths: "<b>=90"}}},
			{"widths", console.View{Name: "x", Look: console.Look{Widths: "a"}}},
			{"widths", console.View{Name: "x", Look: console.Look{Columns: "a,b", Widths: "a=90,c=90"}}},
		} {
			wrong.view.Resource = "users"
			_, err := c.AddView(t.Context(), maker, wrong.view)
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != wrong.field {
				t.Errorf("%+v gives %v, want the field %s", wrong.view, err, wrong.field)
			}
		}
	})
}

func TestViews_FiftyOfAList_InTheOrderOfTheirMaker(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, ctx := newConsole(t, d), t.Context()
		maker, other, _ := viewers(t, d)
		var ids []int64
		for i := range 50 {
			ids = append(ids, mustAdd(t, c, maker, console.View{Resource: "users", Name: fmt.Sprint(i)}).ID)
		}
		if _, err := c.AddView(ctx, maker, console.View{Resource: "users", Name: "x"}); !errors.Is(err, console.ErrViews) {
			t.Errorf("one more gives %v", err)
		}
		mustAdd(t, c, maker, console.View{Resource: "orders", Name: "of another list"})
		mustAdd(t, c, other, console.View{Resource: "users", Name: "of another member"})

		slices.Reverse(ids)
		if err := c.OrderViews(ctx, maker, "users", ids[1:]); err == nil {
			t.Error("an order that leaves one out is taken")
		}
		if err := c.OrderViews(ctx, maker, "users", ids); err != nil {
			t.Fatal(err)
		}
		if got := namesOf(t, c, maker, "users"); got[0] != "49" || got[49] != "0" {
			t.Errorf("the views stand in the order %v", got)
		}
	})
}

func TestLayouts_AreTheMembersOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, ctx := newConsole(t, d), t.Context()
		maker, other, _ := viewers(t, d)
		for _, columns := range []string{"email", "email,area"} {
			l := console.Layout{Resource: "users", Columns: columns, Widths: "email=240", IsDense: true}
			if err := c.SetLayout(ctx, maker, l); err != nil {
				t.Fatal(err)
			}
		}
		if l, err := c.Layout(ctx, maker.UserID, "users"); err != nil || l.Columns != "email,area" ||
			l.Widths != "email=240" || !l.IsDense {
			t.Errorf("the layout is %+v, %v", l, err)
		}
		wrong := console.Layout{Resource: "users", Widths: "email=900"}
		if f, ok := fault.As(c.SetLayout(ctx, maker, wrong)); !ok || f.Fields[0].Name != "widths" {
			t.Errorf("a layout with too wide a column gives %v", f)
		}
		if l, err := c.Layout(ctx, other.UserID, "users"); err != nil || l.Columns != "" || l.IsDense {
			t.Errorf("another member's layout is %+v, %v", l, err)
		}
	})
}

func TestViews_OfAClosedAccount_StayWhereTheyAreShared(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, ctx := newConsole(t, d), t.Context()
		maker, _, admin := viewers(t, d)
		mustAdd(t, c, maker, console.View{Resource: "users", Name: "private"})
		mustAdd(t, c, maker, console.View{Resource: "users", Name: "shared", IsShared: true})
		if err := c.SetLayout(ctx, maker, console.Layout{Resource: "users", Columns: "email"}); err != nil {
			t.Fatal(err)
		}
		mustDo(t, d, func(ctx context.Context, tx bun.Tx) error { return c.Close(ctx, tx, maker.UserID) })
		if got := namesOf(t, c, maker, "users"); !slices.Equal(got, []string{"shared"}) {
			t.Errorf("the views that are left are %v", got)
		}
		if got := namesOf(t, c, admin, "users"); !slices.Equal(got, []string{"shared"}) {
			t.Errorf("an admin sees %v", got)
		}
		if l, err := c.Layout(ctx, maker.UserID, "users"); err != nil || l.Columns != "" {
			t.Errorf("the layout that is left is %+v, %v", l, err)
		}
	})
}
