package python3

import (
	"flag"
	"testing"
)

func flagValue(name, fallback string) string {
	if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
		return f.Value.String()
	}
	return fallback
}

func testSmoke(t *testing.T) {
	WithGIL(func() {
		if PyRun_SimpleString("import sys; print(sys.version, sys.prefix, sys.executable, sys.argv, sys.flags.utf8_mode, getattr(sys,'_base_executable',None), file=sys.stderr)\nraise SystemExit(3)") != -1 {
			t.Fatal("SystemExit")
		}
		j := PyImport_ImportModule("json")
		f := j.GetAttrString("loads")
		s := PyUnicode_FromString(`{"a":`)
		r := f.CallFunctionObjArgs(s)
		if r != nil {
			t.Fatal("?")
		}
		e := FetchException()
		t.Logf("%#v", e)
		t.Log(e.Traceback)
		t.Log(PyThread_get_thread_ident())
	})
	t.Log(RestoreSignalHandlers())
}
