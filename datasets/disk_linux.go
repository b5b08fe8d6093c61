package datasets

import (
	"os"
	"syscall"
	"unsafe"
)

// mapped is a file without a name that is mapped into memory.
type mapped struct {
	file  *os.File
	bytes []byte
}

// tmpfs is the type of file systems that are in memory themselves.
const tmpfs = 0x01021994

// NewDisk keeps tables of at least from bytes in files of a folder. It is nil, the heap, if the
// folder is itself in memory or its file system cannot set room aside.
func NewDisk(folder string, from int64) *Disk {
	d := &Disk{folder: folder, from: from, files: make(map[unsafe.Pointer]*mapped)}
	var (
		system syscall.Statfs_t
		trial  mapped
	)
	if syscall.Statfs(folder, &system) != nil || system.Type == tmpfs ||
		trial.grow(folder, 1) != nil {
		d = nil
	}
	trial.close()
	return d
}

// Free is how many bytes the disk has room for.
func (d *Disk) Free() float64 {
	var system syscall.Statfs_t
	if syscall.Statfs(d.folder, &system) != nil {
		return 0
	}
	return float64(system.Bavail) * float64(system.Bsize)
}

// grow makes the file as long as bytes says. Their room is set aside: writing to memory that has no
// room in its file would end the process.
func (m *mapped) grow(folder string, bytes int64) (err error) {
	if m.file == nil {
		if m.file, err = os.CreateTemp(folder, ".columns-"); err != nil { // the owner's
			return err
		}
		if err := os.Remove(m.file.Name()); err != nil {
			return err
		}
	}
	fd := int(m.file.Fd())
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Fallocate(fd, 0, 0, bytes)
	}
	if err != nil {
		return err
	}
	if m.bytes != nil {
		err = syscall.Munmap(m.bytes)
	}
	if err == nil {
		m.bytes, err = syscall.Mmap(fd, 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_SHARED)
	}
	return err
}

func (m *mapped) close() {
	if m.bytes != nil {
		_ = syscall.Munmap(m.bytes) // which only fails for what is not mapped
	}
	m.file.Close()
}
