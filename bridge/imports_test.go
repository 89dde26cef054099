package bridge_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/layactl/layactl/"

// TestImports holds the direction of imports: the library knows neither commands nor plugins nor Python, commands know
// only the library, and one package speaks to the interpreter.
func TestImports(t *testing.T) {
	rules := []struct {
		packages  string
		forbidden []string
	}{
		{module + "bridge", []string{"C", module + "plugins", module + "cmd", "github.com/spf13/", "github.com/DataDog/go-python3"}},
		{module + "cmd", []string{"C", module + "plugins", "github.com/hashicorp/", "google.golang.org/grpc", "github.com/DataDog/go-python3"}},
		{module + "plugins", []string{module + "cmd", "github.com/spf13/"}},
	}
	const interp, python3 = module + "plugins/internal/interp", "github.com/DataDog/go-python3"
	seen := 0
	for _, p := range listPackages(t) {
		for _, rule := range rules {
			if !strings.HasPrefix(p.ImportPath, rule.packages) {
				continue
			}
			seen++
			for _, imported := range p.Imports {
				for _, f := range rule.forbidden {
					if imported == f || strings.HasPrefix(imported, strings.TrimSuffix(f, "/")+"/") {
						t.Errorf("%s must not import %s", p.ImportPath, imported)
					}
				}
				if imported == python3 && p.ImportPath != interp {
					t.Errorf("%s must not import %s: only %s does", p.ImportPath, imported, interp)
				}
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d packages were looked at", seen)
	}
}

type listed struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
