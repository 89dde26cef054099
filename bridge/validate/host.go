package validate

import (
	"os"
	"runtime"
	"strings"

	"github.com/layactl/layactl/bridge"
)

// ThisHost describes the machine that this process runs on.
func ThisHost() Host {
	return Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuModel(), Cores: runtime.NumCPU(), MemoryBytes: bridge.TotalMemory()}
}

func cpuModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
