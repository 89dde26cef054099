package doctor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/internal/command"
)

// needed are the plugins without which the main job cannot run.
var needed = []string{"tilelang"}

// plugins looks for the programs and manifests; it starts none.
func (e *examination) plugins(context.Context) {
	for _, name := range needed {
		found, err := bridge.FindPlugin(name, e.PluginPath...)
		if err != nil {
			e.missing("plugin "+name, err.Error(), "")
			continue
		}
		e.ok("plugin "+name, found.Source())
	}
	for _, found := range bridge.ListPlugins(e.PluginPath...) {
		switch topic := "plugin " + found.Name; {
		case slices.Contains(needed, found.Name):
		case found.Err != nil:
			e.warning(topic, found.Err.Error(), "")
		default:
			e.ok(topic, found.Source())
		}
	}
}

// cuda asks the driver, not torch: a CPU build of torch sees no GPU that is there.
func (e *examination) cuda(ctx context.Context) {
	const topic = "cuda"
	smi, err := exec.LookPath("nvidia-smi")
	if err != nil {
		if _, err := os.Stat("/dev/nvidia0"); err == nil {
			e.warning(topic, "there is a GPU (/dev/nvidia0), but no nvidia-smi on PATH", "install the NVIDIA driver's programs")
			return
		}
		e.ok(topic, "no CUDA: GPU comparisons will be skipped")
		return
	}
	out, err := command.Run(ctx, command.Spec{
		Args:    []string{smi, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"},
		Timeout: 20 * time.Second,
	})
	if err != nil {
		e.warning(topic, "the NVIDIA driver does not answer: "+err.Error(), "GPU comparisons will be skipped until nvidia-smi works")
		return
	}
	gpus := strings.Split(strings.TrimSpace(string(out.Stdout)), "\n")
	e.ok(topic, strings.Join(gpus, "; "))
	if nvcc := findNVCC(); nvcc == "" {
		e.warning("nvcc", "no nvcc on PATH, in CUDA_HOME or in /usr/local/cuda: TileLang cannot compile for the GPU", "install the CUDA toolkit, or set CUDA_HOME")
	} else {
		e.ok("nvcc", nvcc)
	}
}

// findNVCC looks where TileLang does.
func findNVCC() string {
	for _, home := range []string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH"), "/usr/local/cuda"} {
		path := filepath.Join(home, "bin", "nvcc")
		if info, err := os.Stat(path); home != "" && err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	path, err := exec.LookPath("nvcc")
	if err != nil {
		return ""
	}
	return path
}
