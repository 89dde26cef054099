package capture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/layactl/layactl/bridge"
)

// diffLines is how much of a unified diff is kept.
const diffLines = 40

// Difference is a source or an output that two captures do not agree on.
type Difference struct {
	What string `json:"what"` // "source" or "output"
	Name string `json:"name"`
	// Text says how they differ in one line.
	Text string `json:"text"`
	// Diff is the head of a source's unified diff.
	Diff string `json:"diff,omitempty"`
}

// Comparison is what two captures have in common and where they part.
type Comparison struct {
	Sources     int          `json:"sources"` // compared
	Outputs     int          `json:"outputs"`
	Differences []Difference `json:"differences"`
	Skipped     []Skipped    `json:"skipped"`
	// Notes are circumstances that differ: versions, device, seed.
	Notes []string `json:"notes"`
}

// Compare compares byte for byte. Outputs are left out, with the reason, when one capture was made without a GPU.
func Compare(a, b *Capture) (*Comparison, error) {
	result := &Comparison{Differences: []Difference{}, Skipped: []Skipped{}, Notes: notes(a, b)}
	var err error
	if result.Sources, err = result.compare("source", a, b, a.Sources, b.Sources, sourceDifference); err != nil {
		return nil, err
	}
	for _, c := range []*Capture{a, b} {
		if reason := c.without("outputs"); reason != "" {
			result.Skipped = append(result.Skipped, Skipped{What: "outputs", Reason: c.Folder + " has none: " + reason})
		}
	}
	if len(result.Skipped) == 0 {
		if result.Outputs, err = result.compare("output", a, b, a.Outputs, b.Outputs, outputDifference); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// compare adds the differences of one kind and returns how many files both captures have.
func (r *Comparison) compare(what string, a, b *Capture, left, right []File, describe func(f, g File, old, new []byte) Difference) (int, error) {
	both := 0
	for _, f := range left {
		at := slices.IndexFunc(right, func(g File) bool { return g.Name == f.Name })
		if at < 0 {
			r.Differences = append(r.Differences, Difference{What: what, Name: f.Name, Text: "only in " + a.Folder})
			continue
		}
		both++
		old, err := a.read(f)
		if err != nil {
			return 0, err
		}
		now, err := b.read(right[at])
		if err != nil {
			return 0, err
		}
		g := right[at]
		if bytes.Equal(old, now) && f.DType == g.DType && slices.Equal(f.Shape, g.Shape) {
			continue
		}
		d := describe(f, g, old, now)
		d.What, d.Name = what, f.Name
		r.Differences = append(r.Differences, d)
	}
	for _, g := range right {
		if !slices.ContainsFunc(left, func(f File) bool { return f.Name == g.Name }) {
			r.Differences = append(r.Differences, Difference{What: what, Name: g.Name, Text: "only in " + b.Folder})
		}
	}
	return both, nil
}

func sourceDifference(f, g File, old, now []byte) Difference {
	whole := string(diff.Diff("a/"+f.File, old, "b/"+g.File, now))
	added, removed := 0, 0
	for line := range strings.Lines(whole) {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	lines := slices.Collect(strings.Lines(whole))
	head := strings.Join(lines[:min(len(lines), diffLines)], "")
	if more := len(lines) - diffLines; more > 0 {
		head += fmt.Sprintf("… %d more lines\n", more)
	}
	return Difference{Text: fmt.Sprintf("%d lines removed, %d added", removed, added), Diff: head}
}

func outputDifference(f, g File, old, now []byte) Difference {
	if f.DType != g.DType || !slices.Equal(f.Shape, g.Shape) || len(old) != len(now) {
		return Difference{Text: fmt.Sprintf("expected %s %v, got %s %v", f.DType, f.Shape, g.DType, g.Shape)}
	}
	dtype, err := bridge.ParseDType(f.DType)
	if err != nil || len(old)%int(dtype.Size()) != 0 {
		return Difference{Text: "the bytes differ"}
	}
	size := int(dtype.Size())
	count, first, largest := 0, -1, 0.0
	for i := 0; i < len(old); i += size {
		x, y := old[i:i+size], now[i:i+size]
		if bytes.Equal(x, y) {
			continue
		}
		if count++; first < 0 {
			first = i / size
		}
		if d := math.Abs(value(dtype, x) - value(dtype, y)); d > largest {
			largest = d
		}
	}
	return Difference{Text: fmt.Sprintf("%d of %d elements differ, by up to %.3g, the first at %d", count, len(old)/size, largest, first)}
}

// value is NaN for what is no 16- or 32-bit float.
func value(dtype bridge.DType, element []byte) float64 {
	switch dtype {
	case bridge.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(element)))
	case bridge.Float16:
		return float64(bridge.Float16Bits(binary.LittleEndian.Uint16(element)).Float32())
	case bridge.BFloat16:
		return float64(bridge.BFloat16Bits(binary.LittleEndian.Uint16(element)).Float32())
	}
	return math.NaN()
}

func notes(a, b *Capture) []string {
	all := []string{}
	names := []string{}
	for name := range a.Versions {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if x, y := a.Versions[name], b.Versions[name]; x != y {
			all = append(all, fmt.Sprintf("%s: %s and %s", name, x, y))
		}
	}
	if a.Device != b.Device && a.Device != "" && b.Device != "" {
		all = append(all, fmt.Sprintf("device: %s and %s", a.Device, b.Device))
	}
	if a.Seed != b.Seed {
		all = append(all, fmt.Sprintf("seed: %d and %d", a.Seed, b.Seed))
	}
	return all
}
