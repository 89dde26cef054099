package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/layactl/layactl/bridge"
)

// Kernel is a kernel as its plugin describes it.
type Kernel struct {
	Name  string `json:"name"`
	Cases []Case `json:"cases"`
	// Probe is the size at which the kernel's source is looked at.
	Probe              Case    `json:"probe"`
	UpstreamMaxAbsDiff *Number `json:"upstream_max_abs_diff"`
	// UpstreamCUDAMaxAbsDiff is the same between CPU and CUDA.
	UpstreamCUDAMaxAbsDiff *Number `json:"upstream_cuda_max_abs_diff"`
}

// Case is one input to a kernel.
type Case struct {
	Name       string             `json:"name"`
	Options    string             `json:"options"`
	Note       string             `json:"note"`
	ExpectsNaN bool               `json:"expects_nan"`
	Tensors    []TensorSpec       `json:"tensors"`
	Tolerances map[string]float64 `json:"tolerances"`
	// CUDATolerances are those between CPU and CUDA; empty when the kernel is not compared there.
	CUDATolerances map[string]float64 `json:"cuda_tolerances"`
}

// TensorSpec is one tensor of a case.
type TensorSpec struct {
	Name string `json:"name"`
	// Role is "in", "inout" or "out".
	Role string `json:"role"`
	// DType is a dtype's name, or "act" for the dtype of activations: float32 on the CPU, 16-bit on a GPU.
	DType string  `json:"dtype"`
	Shape []int64 `json:"shape"`
}

// dtype returns the element type where activations have the given one.
func (t TensorSpec) dtype(activations bridge.DType) (bridge.DType, error) {
	if t.DType == "act" {
		return activations, nil
	}
	return bridge.ParseDType(t.DType)
}

// Kernels asks a plugin which kernels it has.
func Kernels(ctx context.Context, plugin *bridge.Plugin) ([]Kernel, error) {
	data, err := plugin.Call(ctx, bridge.Request{Op: "kernels"})
	if err != nil {
		return nil, err
	}
	var kernels []Kernel
	if err := json.Unmarshal(data, &kernels); err != nil {
		return nil, fmt.Errorf("op kernels: %w", err)
	}
	return kernels, nil
}

// Select keeps the kernels and cases that the selectors name: "gemm" is a kernel, "gemm/k24" one of its cases. No
// selector keeps everything. ErrUnknownOp lists what there is.
func Select(kernels []Kernel, selectors []string) ([]Kernel, error) {
	if len(selectors) == 0 {
		return kernels, nil
	}
	chosen := map[string]map[string]bool{} // kernel to cases; an empty set stands for all
	for _, s := range selectors {
		name, caseName, one := strings.Cut(s, "/")
		k := find(kernels, name)
		if k == nil {
			return nil, bridge.Errorf(bridge.ErrUnknownOp, "unknown op %q; ops: %s", name, strings.Join(names(kernels), ", "))
		}
		if one && !hasCase(k, caseName) {
			return nil, bridge.Errorf(bridge.ErrUnknownOp, "op %s has no case %q; cases: %s", name, caseName, strings.Join(caseNames(k), ", "))
		}
		if chosen[name] == nil {
			chosen[name] = map[string]bool{}
		}
		if !one {
			for _, c := range k.Cases {
				chosen[name][c.Name] = true
			}
		} else {
			chosen[name][caseName] = true
		}
	}
	var kept []Kernel
	for _, k := range kernels {
		if chosen[k.Name] == nil {
			continue
		}
		var cases []Case
		for _, c := range k.Cases {
			if chosen[k.Name][c.Name] {
				cases = append(cases, c)
			}
		}
		k.Cases = cases
		kept = append(kept, k)
	}
	return kept, nil
}

func find(kernels []Kernel, name string) *Kernel {
	for i := range kernels {
		if kernels[i].Name == name {
			return &kernels[i]
		}
	}
	return nil
}

func hasCase(k *Kernel, name string) bool {
	for _, c := range k.Cases {
		if c.Name == name {
			return true
		}
	}
	return false
}

func names(kernels []Kernel) []string {
	var out []string
	for _, k := range kernels {
		out = append(out, k.Name)
	}
	return out
}

func caseNames(k *Kernel) []string {
	var out []string
	for _, c := range k.Cases {
		out = append(out, c.Name)
	}
	return out
}
