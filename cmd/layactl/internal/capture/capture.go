// Package capture reads what `layactl preserve capture` keeps of the GPU path and compares two of them.
package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Schema names the form of a manifest.
const Schema = "layactl.capture/1"

// ErrNotACapture is returned by Read for a folder without a whole capture.
var ErrNotACapture = errors.New("not a capture")

// Capture is a folder of sources and outputs, as its manifest.json lists them.
type Capture struct {
	Folder  string `json:"-"`
	Schema  string `json:"schema"`
	Created string `json:"created"`
	Seed    int64  `json:"seed"`
	// Device is the GPU that made the outputs; empty where there was none.
	Device   string            `json:"device"`
	Versions map[string]string `json:"versions"`
	Sources  []File            `json:"sources"`
	Outputs  []File            `json:"outputs"`
	Skipped  []Skipped         `json:"skipped"`
}

// File is one source or one tensor. DType and Shape are a tensor's.
type File struct {
	Name   string  `json:"name"`
	File   string  `json:"file"`
	SHA256 string  `json:"sha256"`
	DType  string  `json:"dtype,omitempty"`
	Shape  []int64 `json:"shape,omitempty"`
}

// Skipped is a part that could not be captured, "outputs", and why.
type Skipped struct {
	What   string `json:"what"`
	Reason string `json:"reason"`
}

// Read returns the capture in a folder. ErrNotACapture says what is missing or damaged: every file is read, and its
// hash checked.
func Read(folder string) (*Capture, error) {
	data, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", folder, ErrNotACapture, err)
	}
	c := &Capture{Folder: folder}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%s: %w: manifest.json: %w", folder, ErrNotACapture, err)
	}
	if c.Schema != Schema {
		return nil, fmt.Errorf("%s: %w: manifest.json: schema: expected %s, got %q", folder, ErrNotACapture, Schema, c.Schema)
	}
	if len(c.Sources) == 0 {
		return nil, fmt.Errorf("%s: %w: it holds no source", folder, ErrNotACapture)
	}
	for _, files := range [][]File{c.Sources, c.Outputs} {
		for _, f := range files {
			if _, err := c.read(f); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// read returns a file's content once its hash is right.
func (c *Capture) read(f File) ([]byte, error) {
	if !filepath.IsLocal(f.File) {
		return nil, fmt.Errorf("%s: %w: %q lies outside of it", c.Folder, ErrNotACapture, f.File)
	}
	data, err := os.ReadFile(filepath.Join(c.Folder, f.File))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", c.Folder, ErrNotACapture, err)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != f.SHA256 {
		return nil, fmt.Errorf("%s: %w: %s was changed: expected SHA-256 %s, got %s", c.Folder, ErrNotACapture, f.File, f.SHA256, got)
	}
	return data, nil
}

// without returns why a capture has no outputs; empty when it has some.
func (c *Capture) without(what string) string {
	for _, s := range c.Skipped {
		if s.What == what {
			return s.Reason
		}
	}
	return ""
}
