package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"airstrip/internal/app"
)

// mountFlags give a process mounts of its own in a namespace where it is root, as whoever runs the tests may have them.
const mountFlags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS

// A disk is as large as the first argument says and is mounted over the second one. Without mounts each file may be as
// large. What the command leaves there is listed in the last line.
const (
	onSmallDisk = `mount --make-rprivate / && mount -t tmpfs -o size="$1"k tmpfs "$2" || exit 99
		dir="$2"; shift 2; "$@"; status=$?; echo "left:" $(ls -A "$dir"); exit $status`
	withSmallFiles = `limit="$1"; dir="$2"; shift 2; (ulimit -f $((limit * 2)) && "$@"); status=$?
		echo "left:" $(ls -A "$dir"); exit $status`
)

// mayMount reports whether this machine lets a test have a disk of its own.
func mayMount(t *testing.T) bool {
	t.Helper()
	probe := exec.Command("/bin/sh", "-c", onSmallDisk, "sh", "64", t.TempDir(), "true")
	inNamespace(probe)
	out, err := probe.CombinedOutput()
	if err != nil {
		t.Logf("no disk of the test's own (%v %s): its full disk is a limit on the size of files instead", err, out)
	}
	return err == nil
}

func inNamespace(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: mountFlags, Pdeathsig: syscall.SIGKILL,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
}

// runOnDisk runs a command whose folder dir is on a disk of so many kilobytes. It returns what the command printed and
// what it left in dir.
func (s testSite) runOnDisk(t *testing.T, mounts bool, kilobytes, dir string, args ...string) (
	said, left string, err error,
) {
	t.Helper()
	cmd := program(t.Context(), s.config, args...)
	script := withSmallFiles
	if mounts {
		inNamespace(cmd)
		script = onSmallDisk
	}
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", script, "sh", kilobytes, dir, os.Args[0]}, args...)
	out, err := cmd.CombinedOutput()
	said, left, found := strings.Cut(string(out), "left:")
	if !found {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return said, strings.TrimSpace(left), err
}

// namesFullDisk reports whether the text says that the disk is full. Where the size of files is limited instead, the
// kernel and SQLite call it otherwise.
func namesFullDisk(said string, mounts bool) bool {
	causes := []string{"no space left on device", "database or disk is full"}
	if !mounts {
		causes = []string{"file too large", "disk I/O error"}
	}
	return slices.ContainsFunc(causes, func(cause string) bool { return strings.Contains(said, cause) })
}

func TestBackup_TargetDiskFull_IsNamedAndLeavesNothing(t *testing.T) {
	mayMount := mayMount(t)
	forEachDatabase(t, func(s testSite) {
		mounts := mayMount && s.config.DatabaseURL == "" // the socket of PostgreSQL is another user's in the namespace
		for name, c := range map[string]struct{ kilobytes, says string }{
			"for the file":             {"8", "the unfinished file was removed"},
			"for the scratch database": {"512", "the backup was not verified and was removed"},
		} {
			if c.kilobytes == "8" && !mounts && s.config.DatabaseURL == "" {
				continue // the limit would keep SQLite from opening the database itself
			}
			s.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				said, left, err := s.runOnDisk(t, mounts, c.kilobytes, dir, "backup", filepath.Join(dir, "site.backup"))
				if err == nil || !strings.Contains(said, c.says) || !namesFullDisk(said, mounts) {
					t.Errorf("backup says %s, %v; want %q and the full disk", said, err, c.says)
				}
				if left != "" {
					t.Errorf("backup leaves %s", left)
				}
			})
		}
	})
}

func TestRestore_TargetDiskFull_IsNamedAndLeavesNothing(t *testing.T) {
	mounts := mayMount(t)
	forEachDatabase(t, func(s testSite) {
		file := filepath.Join(s.TempDir(), "site.backup")
		s.mustPrint(s.T, "backup", file)
		for _, kilobytes := range []string{"64", "512"} {
			s.Run(kilobytes+" kB", func(t *testing.T) {
				there := testSite{t, app.Config{Data: t.TempDir(), SecretKey: s.config.SecretKey}}
				said, left, err := there.runOnDisk(t, mounts, kilobytes, there.config.Data, "restore", file)
				if err == nil || !namesFullDisk(said, mounts) || strings.Contains(said, "Restored") {
					t.Errorf("restore says %s, %v; want the full disk", said, err)
				}
				if left != "serve.lock" { // by which a second restore is refused while one runs
					t.Errorf("restore leaves %s", left)
				}
			})
		}
	})
}
