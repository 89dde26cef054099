package python3

import (
	"os"
	"path/filepath"
	"testing"
)

func testModule(t *testing.T) {
	python(t, func() {
		dir := t.TempDir()
		for file, text := range map[string]string{"one.py": "value = 1\n", "pack/__init__.py": "", "pack/inner.py": "value = 2\n"} {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		text := must(t, PyUnicode_FromString(dir))
		defer text.DecRef()
		same(t, "sys.path", PyList_Insert(PySys_GetObject("path"), 0, text), 0)

		one := must(t, PyImport_ImportModule("one"))
		defer one.DecRef()
		same(t, "value", repr(t, one.GetAttrString("value")), "1")
		same(t, "PyModule_Check", PyModule_Check(one) && PyModule_CheckExact(one) && !PyModule_Check(text), true)
		same(t, "PyModule_GetName", PyModule_GetName(one), "one")
		same(t, "PyModule_GetFilenameObject", repr(t, PyModule_GetFilenameObject(one)), "'"+filepath.Join(dir, "one.py")+"'")
		same(t, "PyModule_GetDict", PyLong_AsLong(PyDict_GetItemString(PyModule_GetDict(one), "value")), 1)
		same(t, "PyModule_GetState", PyModule_GetState(one), nil)
		inner := must(t, PyImport_ImportModule("pack.inner"))
		defer inner.DecRef()
		same(t, "PyImport_ImportModule gives the module itself", PyModule_GetName(inner), "pack.inner")
		for _, top := range []*PyObject{PyImport_ImportModuleEx("pack.inner", nil, nil, nil), PyImport_ImportModuleLevel("pack.inner", nil, nil, nil, 0)} {
			same(t, "__import__ gives the package", PyModule_GetName(must(t, top)), "pack")
			top.DecRef()
		}
		again := must(t, PyImport_ReloadModule(one))
		same(t, "PyImport_ReloadModule", again, one)
		again.DecRef()

		same(t, "missing", PyImport_ImportModule("no.such"), nil)
		raises(t, "missing", "ModuleNotFoundError")
		same(t, "not UTF-8", PyImport_ImportModule("\xff"), nil)
		raises(t, "not UTF-8", "UnicodeDecodeError")
		name := PyUnicode_FromString("one")
		defer name.DecRef()
		found := must(t, PyImport_GetModule(name))
		same(t, "PyImport_GetModule", found, one)
		found.DecRef()
		same(t, "PyImport_GetModule", PyImport_GetModule(text), nil)
		same(t, "PyImport_GetModuleDict", PyDict_Contains(PyImport_GetModuleDict(), name), 1)
		same(t, "PyImport_AddModule", PyImport_AddModule("one"), one)
		same(t, "PyImport_AddModule", PyModule_Check(PyImport_AddModule("brand.new")), true)
		must(t, PyImport_GetImporter(text)).DecRef()
		same(t, "PyImport_ImportFrozenModule", PyImport_ImportFrozenModule("nothing_frozen"), 0)
		same(t, "PyImport_GetMagicTag", repr(t, evaluate(t, `__import__("sys").implementation.cache_tag`)), "'"+PyImport_GetMagicTag()+"'")
		same(t, "PyImport_GetMagicNumber", PyImport_GetMagicNumber() != 0, true)

		code := evaluate(t, `compile("value = __name__, __file__", "x", "exec")`)
		defer code.DecRef()
		made := must(t, PyImport_ExecCodeModuleEx("made", code, "/a/b.py"))
		same(t, "PyImport_ExecCodeModuleEx", repr(t, made.GetAttrString("value")), "('made', '/a/b.py')")
		made.DecRef()
		made = must(t, PyImport_ExecCodeModule("made2", code))
		same(t, "PyImport_ExecCodeModule", PyModule_GetName(made), "made2")
		made.DecRef()
		made = must(t, PyModule_New("free"))
		same(t, "PyModule_New", PyModule_GetName(made), "free")
		made.DecRef()

		same(t, "PySys_SetObject", PySys_SetObject("ours", name), 0)
		same(t, "PySys_GetObject", PySys_GetObject("ours"), name)
		same(t, "PySys_SetObject nil", PySys_SetObject("ours", nil), 0)
		same(t, "PySys_GetObject", PySys_GetObject("ours"), nil)
		same(t, "PySys_GetObject with null", PySys_GetObject("path\x00"), nil)
		same(t, "PySys_SetObject with null", PySys_SetObject("path\x00", name), -1)
		raises(t, "PySys_SetObject with null", "ValueError")
		same(t, "PySys_GetXOptions", PyDict_Check(PySys_GetXOptions()), true)
		same(t, "PySys_SetArgv", PySys_SetArgvEx([]string{"a", "é\xff"}, false), nil)
		same(t, "sys.argv", repr(t, evaluate(t, `__import__("sys").argv`)), `['a', 'é\udcff']`)
		same(t, "PySys_SetArgv", PySys_SetArgvEx([]string{"a\x00"}, false) == nil, false)
		same(t, "builtins", PyDict_Check(PyEval_GetBuiltins()), true)
		same(t, "PyEval_GetGlobals outside a frame", PyEval_GetGlobals(), nil)
	})
}

func testRun(t *testing.T) {
	python(t, func() {
		same(t, "PyRun_SimpleString", PyRun_SimpleString("ran = 41 + 1"), 0)
		same(t, "__main__", repr(t, PyImport_AddModule("__main__").GetAttrString("ran")), "42")
		same(t, "exception", PyRun_SimpleString("1 / 0"), -1)
		same(t, "sys.last_value", repr(t, evaluate(t, `__import__("sys").last_value`)), "ZeroDivisionError('division by zero')")
		same(t, "syntax error", PyRun_SimpleString("1 +"), -1)
		same(t, "null", PyRun_SimpleString("ran = 1\x00"), -1)
		same(t, "nothing left", PyErr_Occurred(), nil)

		file := filepath.Join(t.TempDir(), "vé\xff.py")
		if err := os.WriteFile(file, []byte("import inspect\nwhere = inspect.currentframe().f_code.co_filename"), 0o666); err != nil {
			t.Fatal(err)
		}
		status, err := PyRun_AnyFile(file)
		same(t, "PyRun_AnyFile", status, 0)
		same(t, "PyRun_AnyFile", err, nil)
		where := must(t, PyImport_AddModule("__main__").GetAttrString("where"))
		defer where.DecRef()
		got, _ := PyUnicode_AsBytes(where)
		same(t, "file name", got, file)
		if _, err := PyRun_AnyFile(file + "x"); !os.IsNotExist(err) && err == nil {
			t.Error("a missing file was run")
		}
	})
}
