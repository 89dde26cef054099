package bridge

import (
	"os"
	"path/filepath"
	"sync"
)

// ownerFile, in a run folder, says which process made it.
const ownerFile = "owner.json"

var swept sync.Map // parent folder to *sync.Once

// sweepOnce removes, once in the life of this process, the run folders in parent that a killed controller left, and ends
// what its plugins started and left. A folder that does not prove whose it is stays.
func sweepOnce(parent string) {
	once, _ := swept.LoadOrStore(parent, &sync.Once{})
	once.(*sync.Once).Do(func() { sweep(parent) })
}

func sweep(parent string) {
	dirs, _ := filepath.Glob(filepath.Join(globQuote(parent), runDirPattern)) // the pattern is valid
	for _, dir := range dirs {
		if abandoned(dir) {
			killMarked(dir)
			_ = os.RemoveAll(dir) // the next sweep tries again
		}
	}
}

// globQuote makes a folder's name match itself only.
func globQuote(path string) string {
	quoted := make([]byte, 0, len(path))
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[', '\\':
			quoted = append(quoted, '\\')
		}
		quoted = append(quoted, path[i])
	}
	return string(quoted)
}
