package doctor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/internal/command"
)

// needed are the plugins without which the main job cannot run.
var needed = []string{"tilelang"}

const pluginPrefix = "laya-plugin-"

// plugins looks for the programs; it starts none.
func (e *examination) plugins(context.Context) {
	seen := map[string]bool{}
	for _, name := range needed {
		seen[name] = true
		path, err := bridge.FindPlugin(name, e.PluginPath...)
		if err != nil {
			e.missing("plugin "+name, err.Error(), "")
			continue
		}
		e.ok("plugin "+name, path)
	}
	folders := e.PluginPath
	if self, err := os.Executable(); err == nil {
		folders = append(folders[:len(folders):len(folders)], filepath.Dir(self))
	}
	for _, folder := range folders {
		programs, _ := filepath.Glob(filepath.Join(folder, pluginPrefix+"*")) // fails for a bad pattern only
		for _, program := range programs {
			name := strings.TrimPrefix(filepath.Base(program), pluginPrefix)
			if seen[name] {
				continue
			}
			seen[name] = true
			if path, err := bridge.FindPlugin(name, e.PluginPath...); err != nil {
				e.warning("plugin "+name, err.Error(), "")
			} else {
				e.ok("plugin "+name, path)
			}
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
