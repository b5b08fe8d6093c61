//go:build unix && !solaris && !aix

package external

import (
	"os"
	"path/filepath"
	"syscall"
)

// heldFile is locked, in a folder of its own, for as long as the process lives that made it. It
// gets its name when it is.
const heldFile = "held"

func hold(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "not-yet-")
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, heldFile))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// removeAbandoned removes a folder that is this user's and that no process holds.
func removeAbandoned(dir string) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
		return
	}
	file, err := os.OpenFile(filepath.Join(dir, heldFile), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer file.Close()
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.RemoveAll(dir)
	}
}
