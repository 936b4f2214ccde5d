package job_test

import (
	"testing"

	"airstrip/internal/fault"
	"airstrip/internal/job"
)

func TestPurpose_EachEntryOfTheTimetable_SaysWhatItDoes(t *testing.T) {
	for name := range job.Timetable {
		if says := job.Purpose(name); says.ZH == "" || says.EN == "" {
			t.Errorf("%s does not say what it does: %+v", name, says)
		}
	}
	if says := job.Purpose("no.entry"); says != (fault.Text{}) {
		t.Errorf("an entry that is not in the timetable does %+v", says)
	}
}
