package validate

import (
	"encoding/json"
	"math"
	"time"
)

// Schema names the form of a Record.
const Schema = "layactl.validate/1"

// Verdicts of a row, a kernel and a record.
const (
	Pass = "pass"
	Fail = "fail"
)

// Record is what a validation leaves: what was compared, on what, and the verdicts.
type Record struct {
	Schema  string    `json:"schema"`
	Created time.Time `json:"created"`
	Verdict string    `json:"verdict"`
	Seed    int64     `json:"seed"`
	Host    Host      `json:"host"`
	// Versions are those of layactl, Python, torch, TileLang and what else the plugin named.
	Versions map[string]string `json:"versions"`
	Skipped  []Skipped         `json:"skipped"`
	Kernels  []Summary         `json:"kernels"`
	Rows     []Row             `json:"rows"`
	Inputs   []Hash            `json:"inputs"`
	Timings  Timings           `json:"timings"`
}

// Host is the machine that computed.
type Host struct {
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	CPU         string `json:"cpu"`
	Cores       int    `json:"cores"`
	MemoryBytes int64  `json:"memory_bytes"`
	// GPUs are the names of those that CUDA kernels ran on.
	GPUs []string `json:"gpus,omitempty"`
}

// Skipped is a comparison that could not be made here.
type Skipped struct {
	Comparison string `json:"comparison"`
	Reason     string `json:"reason"`
}

// Summary is one kernel over all its rows.
type Summary struct {
	Op          string  `json:"op"`
	Comparison  string  `json:"comparison"`
	Activations string  `json:"activations"`
	Cases       int     `json:"cases"`
	Rows        int     `json:"rows"`
	Failed      int     `json:"failed"`
	MaxAbsDiff  Number  `json:"max_abs_diff"`
	MaxULP      uint64  `json:"max_ulp"`
	Upstream    *Number `json:"upstream_max_abs_diff"`
	Tolerance   Number  `json:"tolerance"`
	Verdict     string  `json:"verdict"`
}

// Row is one output tensor of one case.
type Row struct {
	Op         string `json:"op"`
	Case       string `json:"case"`
	Options    string `json:"options"`
	Tensor     string `json:"tensor"`
	Comparison string `json:"comparison"`
	// DType is the tensor's own, Activations the one that the kernel was compiled for.
	DType       string  `json:"dtype"`
	Activations string  `json:"activations"`
	Shape       []int64 `json:"shape"`
	Elements    int64   `json:"elements"`
	MaxAbsDiff  Number  `json:"max_abs_diff"`
	MaxULP      uint64  `json:"max_ulp"`
	// ReferenceMax is the largest magnitude in the reference.
	ReferenceMax Number  `json:"reference_max"`
	Tolerance    Number  `json:"tolerance"`
	Worst        []int64 `json:"worst,omitempty"`
	Got          *Number `json:"got,omitempty"`
	Want         *Number `json:"want,omitempty"`
	SHA256       string  `json:"sha256,omitempty"`
	Verdict      string  `json:"verdict"`
	Reason       string  `json:"reason,omitempty"`
}

// Hash is the SHA-256 of one input's bytes.
type Hash struct {
	Op     string `json:"op"`
	Case   string `json:"case"`
	Tensor string `json:"tensor"`
	SHA256 string `json:"sha256"`
}

// Timings are wall-clock seconds.
type Timings struct {
	StartSeconds   float64 `json:"start_s"`
	CompileSeconds float64 `json:"compile_s"`
	RunSeconds     float64 `json:"run_s"`
	TotalSeconds   float64 `json:"total_s"`
}

// Number is a float in JSON, where NaN and the infinities are the strings "nan", "inf" and "-inf".
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	switch f := float64(n); {
	case math.IsNaN(f):
		return []byte(`"nan"`), nil
	case math.IsInf(f, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-inf"`), nil
	default:
		return json.Marshal(f)
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"nan"`:
		*n = Number(math.NaN())
	case `"inf"`:
		*n = Number(math.Inf(1))
	case `"-inf"`:
		*n = Number(math.Inf(-1))
	default:
		return json.Unmarshal(data, (*float64)(n))
	}
	return nil
}

func number(f float64) *Number { n := Number(f); return &n }

// summarize fills Kernels and Verdict from Rows. A record without rows fails: it proves nothing.
func (r *Record) summarize(kernels []Kernel) {
	index := map[[3]string]int{}
	cases := map[[4]string]bool{}
	r.Verdict = Pass
	if len(r.Rows) == 0 {
		r.Verdict = Fail
	}
	for _, row := range r.Rows {
		key := [3]string{row.Op, row.Comparison, row.Activations}
		i, ok := index[key]
		if !ok {
			i = len(r.Kernels)
			index[key] = i
			r.Kernels = append(r.Kernels, Summary{
				Op: row.Op, Comparison: row.Comparison, Activations: row.Activations, Upstream: upstream(kernels, row), Verdict: Pass,
			})
		}
		s := &r.Kernels[i]
		s.Rows++
		if c := [4]string{row.Op, row.Comparison, row.Activations, row.Case}; !cases[c] {
			cases[c] = true
			s.Cases++
		}
		s.MaxAbsDiff = max(s.MaxAbsDiff, row.MaxAbsDiff)
		s.MaxULP = max(s.MaxULP, row.MaxULP)
		s.Tolerance = max(s.Tolerance, row.Tolerance)
		if row.Verdict != Pass {
			s.Failed++
			s.Verdict, r.Verdict = Fail, Fail
		}
	}
}

// upstream is what upstream's kernels reach in the row's comparison, nil where that is not known.
func upstream(kernels []Kernel, row Row) *Number {
	k := find(kernels, row.Op)
	switch {
	case k == nil:
		return nil
	case row.Comparison == CPUVersusReference:
		return k.UpstreamMaxAbsDiff
	case row.Comparison == CPUVersusCUDA:
		return k.UpstreamCUDAMaxAbsDiff
	default:
		return nil
	}
}
