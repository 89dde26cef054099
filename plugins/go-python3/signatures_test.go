package python3

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	signaturesFile = "testdata/signatures.txt"
	originalModule = "github.com/!data!dog/go-python3@v0.0.0-20211102160307-40adc605f1fe"
)

var update = flag.Bool("update", false, "write "+signaturesFile+" from the original in the module cache")

// TestSignatures compares every exported name that the original has too, and accounts for every one that it alone has.
func TestSignatures(t *testing.T) {
	committed := readSignatures(t)
	ours := parseSignatures(t, ".")
	leftOut := readLeftOut(t)
	for name, want := range committed {
		got, have := ours[name]
		switch {
		case have && got != want:
			t.Errorf("%s\n have %s\n want %s", name, got, want)
		case have && leftOut[name]:
			t.Errorf("README.md says that %s was left out, but it is there", name)
		case !have && !leftOut[name]:
			t.Errorf("%s is missing, and README.md does not say why", name)
		}
	}
	for name := range leftOut {
		if committed[name] == "" {
			t.Errorf("README.md says that %s was left out, but the original has no such name", name)
		}
	}
}

// TestSignaturesFile compares the committed list with the original, where the module cache has it.
func TestSignaturesFile(t *testing.T) {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), originalModule)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the original is not in the module cache: %v", err)
	}
	var lines []string
	for _, signature := range parseSignatures(t, dir) {
		lines = append(lines, signature)
	}
	slices.Sort(lines)
	want := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(signaturesFile, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(signaturesFile); err != nil || string(have) != want {
		t.Errorf("%s is not what the original says (%v): go test -run TestSignaturesFile -update", signaturesFile, err)
	}
}

// TestDocumented keeps a comment on every exported symbol.
func TestDocumented(t *testing.T) {
	eachDeclaration(t, ".", func(name, _ string, documented bool) {
		if !documented {
			t.Errorf("%s has no comment", name)
		}
	})
}

func readSignatures(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(signaturesFile)
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`^(?:func|var|const|type) (?:\(\*(\w+)\) )?(\w+)`)
	found := map[string]string{}
	for line := range strings.Lines(string(text)) {
		parts := name.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("%s: %q", signaturesFile, line)
		}
		found[qualify(parts[1], parts[2])] = strings.TrimSpace(line)
	}
	return found
}

// readLeftOut takes the names in the first column of README.md's table of what was left out.
func readLeftOut(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "## Left out\n")
	if !ok {
		t.Fatal("README.md has no section \"Left out\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	found := map[string]bool{}
	for line := range strings.Lines(section) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cell, -1) {
			found[m[1]] = strings.HasPrefix(line, "|")
		}
	}
	return found
}

func parseSignatures(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	eachDeclaration(t, dir, func(name, signature string, _ bool) { found[name] = signature })
	return found
}

// eachDeclaration visits the exported functions, methods of exported types, variables, constants and types of a package folder.
func eachDeclaration(t *testing.T, dir string, visit func(name, signature string, documented bool)) {
	t.Helper()
	files := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if name, signature := function(files, d); ast.IsExported(d.Name.Name) {
					visit(name, signature, d.Doc != nil)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					specification(files, d, s, visit)
				}
			}
		}
	}
}

func function(files *token.FileSet, d *ast.FuncDecl) (name, signature string) {
	receiver, prefix := "", ""
	if d.Recv != nil {
		receiver = strings.TrimPrefix(show(files, d.Recv.List[0].Type), "*")
		prefix = "(" + show(files, d.Recv.List[0].Type) + ") "
	}
	results := types(files, d.Type.Results)
	signature = fmt.Sprintf("func %s%s(%s)", prefix, d.Name.Name, strings.Join(types(files, d.Type.Params), ", "))
	switch len(results) {
	case 0:
	case 1:
		signature += " " + results[0]
	default:
		signature += " (" + strings.Join(results, ", ") + ")"
	}
	return qualify(receiver, d.Name.Name), signature
}

func specification(files *token.FileSet, d *ast.GenDecl, s ast.Spec, visit func(name, signature string, documented bool)) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			visit(s.Name.Name, "type "+s.Name.Name+" "+show(files, s.Type), d.Doc != nil || s.Doc != nil)
		}
	case *ast.ValueSpec:
		for i, n := range s.Names {
			if !n.IsExported() {
				continue
			}
			signature := d.Tok.String() + " " + n.Name
			switch {
			case d.Tok == token.CONST:
				signature += " = " + show(files, s.Values[i])
			case s.Type != nil:
				signature += " " + show(files, s.Type)
			default:
				signature += " " + typeOf(files, s.Values[i])
			}
			visit(n.Name, signature, d.Doc != nil || s.Doc != nil)
		}
	}
}

// typeOf knows the few kinds of value that variables of either package start with.
func typeOf(files *token.FileSet, value ast.Expr) string {
	text := show(files, value)
	switch {
	case strings.HasPrefix(text, "togo("):
		return "*PyObject"
	case strings.HasPrefix(text, "int("), regexp.MustCompile(`^\d+$`).MatchString(text):
		return "int"
	}
	return "= " + text
}

func types(files *token.FileSet, fields *ast.FieldList) []string {
	var found []string
	if fields == nil {
		return nil
	}
	for _, f := range fields.List {
		for range max(1, len(f.Names)) {
			found = append(found, show(files, f.Type))
		}
	}
	return found
}

func show(files *token.FileSet, node ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, files, node); err != nil {
		panic(err)
	}
	return b.String()
}

func qualify(receiver, name string) string {
	if receiver == "" {
		return name
	}
	return receiver + "." + name
}
