package v2_test

import (
	"flag"
	"os"
	"strconv"
	"testing"
	"time"
)

var full = flag.Bool("full", false, "try all input that a test knows, not a sample of it")

// sampleSize is the size of a random sample, or of all with -full, as `make stress` has it.
func sampleSize(sample, all int) int {
	if *full {
		return all
	}
	return sample
}

// sampleSeed returns the seed of a test's sample, another in each run, and logs it. AIRSTRIP_TEST_SEED repeats one.
func sampleSeed(t *testing.T) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("AIRSTRIP_TEST_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	t.Log("AIRSTRIP_TEST_SEED =", seed)
	return seed
}
