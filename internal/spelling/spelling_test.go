package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"module", "command", "venv"}
	for name, want := range map[string]string{"modul": "module", "comand": "command", "env": "venv", "x": "", "": "", "environments": ""} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: expected %q, got %q", name, want, got)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"color", "colour", 1}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: expected %d, got %d", c.a, c.b, c.want, got)
		}
	}
}
