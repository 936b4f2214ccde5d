package db

import (
	"testing"
	"time"
)

func TestThePauseBeforeARepeat_IsWithinASecond_HoweverOftenItIsRepeated(t *testing.T) {
	for try := 1; try < 1000; try++ {
		if pause := repeatPause(try); pause < 0 || pause > time.Second {
			t.Fatalf("before try %d: %s", try+1, pause)
		}
	}
}
