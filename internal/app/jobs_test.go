package app

import "testing"

func TestJobs_OfLegacyRoutes_AreOnTheTimetable(t *testing.T) {
	a, err := Open(t.Context(), config(t), "1")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, j := range a.jobs() {
		if _, err := j.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", j.Pattern, err)
		}
	}
}
