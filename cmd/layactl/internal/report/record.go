// Package report is how verbs tell their results: tables and progress for people, one JSON record for programs.
package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Record is where a verb's JSON goes. A file appears at once and whole, or not at all.
type Record struct {
	stdout io.Writer // for "-"
	path   string    // the file to be, links resolved
	temp   *os.File  // lies beside it until Write; nil when there is nothing to rename
	direct bool      // a device or a pipe, which is written as it is
}

// Open returns the record for a --json argument: a file's name, "-" for stdout, or "" for none. It fails, before any
// work is done, when the file could not be written. Close must be called.
func Open(target string, stdout io.Writer) (*Record, error) {
	switch target {
	case "":
		return &Record{}, nil
	case "-":
		return &Record{stdout: stdout}, nil
	}
	path, err := filepath.Abs(target)
	if err != nil {
		return nil, err
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder, not a file", target)
	case err == nil && !info.Mode().IsRegular():
		return openDirect(path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	folder, name := filepath.Split(path)
	temp, err := os.OpenFile(filepath.Join(folder, fmt.Sprintf(".%s.%d.tmp", name, os.Getpid())), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", target, err)
	}
	return &Record{path: path, temp: temp}, nil
}

// openDirect never renames: a name such as /dev/null must stay what it is.
func openDirect(path string) (*Record, error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	return &Record{temp: file, direct: true}, nil
}

// OnStdout says that the record goes to standard output, so that nothing else may.
func (r *Record) OnStdout() bool { return r.stdout != nil }

// Write writes v, once. NaN and infinities are refused by encoding/json and must be texts by now.
func (r *Record) Write(v any) error {
	switch {
	case r.stdout != nil:
		return encode(r.stdout, v)
	case r.temp == nil:
		return nil
	}
	if err := encode(r.temp, v); err != nil {
		return fmt.Errorf("writing the record: %w", err)
	}
	if r.direct {
		return nil
	}
	if err := errors.Join(r.temp.Sync(), r.temp.Close(), os.Rename(r.temp.Name(), r.path)); err != nil {
		return fmt.Errorf("writing the record: %w", err)
	}
	r.temp = nil
	return nil
}

// Close removes what Write did not finish. It may be called after Write, and twice.
func (r *Record) Close() {
	if r.temp == nil {
		return
	}
	_ = r.temp.Close()
	if !r.direct {
		_ = os.Remove(r.temp.Name())
	}
	r.temp = nil
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
