package python3

import (
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// leaks are calls that must leave the number of references and of memory blocks as it was, each made many times.
var leaks = []struct {
	name string
	call func(o *PyObject)
}{
	{"GetAttrString", func(o *PyObject) { o.GetAttrString("append").DecRef() }},
	{"GetAttrString missing", func(o *PyObject) { o.GetAttrString("missing"); PyErr_Clear() }},
	{"HasAttrString", func(o *PyObject) { o.HasAttrString("missing") }},
	{"CallFunctionObjArgs", func(o *PyObject) { Tuple.CallFunctionObjArgs(o).DecRef() }},
	{"CallMethodArgs", func(o *PyObject) { o.CallMethodArgs("copy").DecRef() }},
	{"Call", func(o *PyObject) {
		args, kwargs := PyTuple_New(1), PyDict_New()
		o.IncRef()
		PyTuple_SetItem(args, 0, o)
		decRef(Tuple.Call(args, kwargs), args, kwargs)
	}},
	{"list", func(o *PyObject) {
		list := PyList_New(1)
		o.IncRef()
		PyList_SetItem(list, 0, o)
		PyList_Append(list, o)
		PyList_GetItem(list, 0)
		decRef(PyList_AsTuple(list), PyList_GetSlice(list, 0, 1), list)
	}},
	{"dict", func(o *PyObject) {
		dict := PyDict_New()
		PyDict_SetItemString(dict, "key", o)
		PyDict_GetItemString(dict, "key")
		decRef(PyDict_Items(dict), dict)
	}},
	{"text", func(o *PyObject) {
		u := PyUnicode_DecodeUTF8("some text \xff that is new", "surrogateescape")
		PyUnicode_AsBytes(u)
		PyUnicode_AsText(u)
		decRef(PyUnicode_AsEncodedString(u, "utf-8", "surrogateescape"), u)
	}},
	{"bytes", func(o *PyObject) {
		part := PyBytes_FromString("part")
		b := PyBytes_Concat(PyBytes_FromString("some bytes"), part)
		PyBytes_ConcatAndDel(b, part).DecRef()
	}},
	{"numbers", func(o *PyObject) {
		decRef(PyLong_FromLong(1<<40), PyFloat_FromDouble(1.25), PyComplex_FromDoubles(1, 2), PyBool_FromLong(1))
	}},
	{"memoryview", func(o *PyObject) {
		PyMemoryView_FromMemory(nil, PyBUF_WRITE).DecRef()
	}},
	{"iteration", func(o *PyObject) {
		it := o.GetIter()
		for item := it.Next(); item != nil; item = it.Next() {
			item.DecRef()
		}
		it.DecRef()
	}},
	{"object", func(o *PyObject) { decRef(o.Repr(), o.Str(), o.Type(), o.Dir(), o.RichCompare(o, Py_EQ)) }},
	{"import", func(o *PyObject) { PyImport_ImportModule("traceback").DecRef(); PyImport_AddModule("traceback") }},
	{"sys", func(o *PyObject) { PySys_SetObject("leak", o); PySys_GetObject("leak"); PySys_SetObject("leak", nil) }},
	{"run", func(o *PyObject) { PyRun_SimpleString("leak = [1]\ndel leak") }},
	{"fetch", func(o *PyObject) {
		PyErr_SetObject(PyExc_ValueError, o)
		FetchException()
		o.CallMethodArgs("index", Py_None)
		FetchException()
	}},
	{"fetch and restore", func(o *PyObject) {
		PyErr_SetObject(PyExc_ValueError, o)
		PyErr_Restore(PyErr_NormalizeException(PyErr_Fetch()))
		PyErr_Clear()
	}},
	{"exception", func(o *PyObject) {
		e, cause := PyExc_ValueError.CallFunctionObjArgs(o), PyExc_KeyError.CallFunctionObjArgs(o)
		PyException_SetCause(e, cause)
		cause.IncRef()
		PyException_SetContext(e, cause)
		decRef(PyException_GetCause(e), PyException_GetContext(e), e)
	}},
	{"WithGIL", func(o *PyObject) { WithGIL(func() { o.Repr().DecRef() }) }},
}

func testLeak(t *testing.T) {
	python(t, func() {
		scope := execute(t, "import gc, sys\ngc.disable()\ndef measure(o):\n    gc.collect()\n    return sys.getrefcount(o), sys.getallocatedblocks()")
		defer scope.DecRef()
		measure := func(o *PyObject) (references, blocks int) {
			pair := must(t, PyDict_GetItemString(scope, "measure").CallFunctionObjArgs(o))
			defer pair.DecRef()
			return PyLong_AsLong(PyTuple_GetItem(pair, 0)), PyLong_AsLong(PyTuple_GetItem(pair, 1))
		}
		const rounds = 2000
		for _, l := range leaks {
			o := evaluate(t, "[object(), object()]")
			for range rounds / 10 {
				l.call(o)
			}
			references, blocks := measure(o)
			for range rounds {
				l.call(o)
			}
			moreReferences, moreBlocks := measure(o)
			same(t, l.name+": references", moreReferences, references)
			// Python keeps some dead blocks for later; a leak is one for every call.
			if grown := moreBlocks - blocks; grown > rounds/4 || grown < -rounds/4 {
				t.Errorf("%s: %d more blocks after %d calls", l.name, grown, rounds)
			}
			o.DecRef()
		}
	})
}

func testGoroutines(t *testing.T) {
	const workers, rounds = 16, 200
	python(t, func() {
		PyRun_SimpleString("counter = {}\ndef count(worker):\n    n = counter.get(worker, 0)\n    for _ in range(20): pass\n    counter[worker] = n + 1\n    return n + 1")
	})
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := range rounds {
				python(t, func() {
					count := must(t, PyImport_AddModule("__main__").GetAttrString("count"))
					id := PyLong_FromLong(w)
					defer decRef(count, id)
					WithGIL(func() { // nested
						same(t, "PyGILState_Check", PyGILState_Check(), true)
						n := count.CallFunctionObjArgs(id)
						same(t, "count", PyLong_AsLong(n), i+1)
						n.DecRef()
					})
					runtime.Gosched() // the goroutine must come back to the same thread
					same(t, "PyGILState_Check", PyGILState_Check(), true)
				})
			}
		})
	}
	wait.Wait()
	same(t, "PyGILState_Check outside", PyGILState_Check(), false)
	python(t, func() {
		same(t, "sum", repr(t, evaluate(t, `sum(__import__("__main__").counter.values())`)), "3200")
		func() {
			defer func() { _ = recover() }()
			WithGIL(func() { panic("inside") })
		}()
		same(t, "PyGILState_Check after a panic inside", PyGILState_Check(), true)
	})
}

func testThreads(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	state := PyGILState_Ensure()
	mine := PyGILState_GetThisThreadState()
	same(t, "PyThreadState_Get", PyThreadState_Get(), mine)
	saved := PyEval_SaveThread()
	same(t, "PyEval_SaveThread", saved, mine)
	same(t, "PyGILState_Check", PyGILState_Check(), false)
	done := make(chan struct{})
	go func() {
		defer close(done)
		WithGIL(func() { same(t, "another thread", PyThreadState_Get() != mine, true) })
	}()
	<-done
	PyEval_RestoreThread(saved)
	same(t, "PyGILState_Check", PyGILState_Check(), true)
	same(t, "PyThreadState_Swap", PyThreadState_Swap(nil), mine)
	same(t, "PyThreadState_Swap", PyThreadState_Swap(mine), nil)
	same(t, "PyEval_ThreadsInitialized", PyEval_ThreadsInitialized(), true)
	PyEval_InitThreads()
	same(t, "ident", repr(t, evaluate(t, `__import__("threading").get_ident()`)), repr(t, PyLong_FromGoUint64(PyThread_get_thread_ident())))
	PyGILState_Release(state)
}

// testAsync interrupts a Python loop, and then the same thread works on.
func testAsync(t *testing.T) {
	const loop = "looping = True\nwhile True: pass"
	for _, class := range []*PyObject{PyExc_KeyboardInterrupt, PyExc_TimeoutError} {
		idents, result := make(chan uint64), make(chan *Exception)
		go python(t, func() {
			PyRun_SimpleString("looping = False")
			idents <- PyThread_get_thread_ident()
			source, scope := PyUnicode_FromString(loop), PyModule_GetDict(PyImport_AddModule("__main__"))
			defer source.DecRef()
			if builtin("exec", source, scope) != nil {
				t.Error("the loop ended by itself")
			}
			result <- FetchException()
			same(t, "work after the interrupt", repr(t, evaluate(t, "1 + 1")), "2")
			result <- nil
		})
		ident := <-idents
		for looping := false; !looping; time.Sleep(time.Millisecond) {
			python(t, func() { looping = repr(t, PyImport_AddModule("__main__").GetAttrString("looping")) == "True" })
		}
		began := time.Now()
		python(t, func() { same(t, "threads found", PyThreadState_SetAsyncExc(ident, class), 1) })
		e := <-result
		if e == nil || !strings.Contains(e.Traceback, "line 2, in <module>") {
			t.Errorf("exception: %v", e)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the interrupt took %v", took)
		}
		<-result
	}
	python(t, func() { same(t, "no such thread", PyThreadState_SetAsyncExc(12345, PyExc_KeyboardInterrupt), 0) })
	python(t, func() { // taken back before it was raised
		PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), PyExc_KeyboardInterrupt)
		PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), nil)
		same(t, "nothing raised", repr(t, evaluate(t, "sum(range(1000))")), "499500")
	})
}

// kernelAction is what rt_sigaction tells, on amd64 and arm64 alike.
type kernelAction struct {
	handler, flags, restorer, mask uint64
}

const (
	onStack  = 0x08000000
	restorer = 0x04000000 // only says where the handler returns to
)

func action(t *testing.T, s syscall.Signal) kernelAction {
	t.Helper()
	var a kernelAction
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), 0, uintptr(unsafe.Pointer(&a)), 8, 0, 0); errno != 0 {
		t.Fatalf("rt_sigaction %d: %v", s, errno)
	}
	a.restorer, a.flags = 0, a.flags&^restorer
	return a
}

func allActions(t *testing.T) (all [65]kernelAction) {
	t.Helper()
	for s := 1; s < len(all); s++ {
		all[s] = action(t, syscall.Signal(s))
	}
	return all
}

// replacements are Python programs that replace handlers, on Python's main thread, and what RestoreSignalHandlers must say.
var replacements = []struct {
	name, source string
	want         []ReplacedHandler
}{
	{"nothing", "import ctypes, signal, faulthandler\nfaulthandler.disable()", nil},
	{"signal.signal", "signal.signal(signal.SIGINT, lambda *a: None)", []ReplacedHandler{{syscall.SIGINT, false}}},
	{"default", "signal.signal(signal.SIGTERM, signal.SIG_DFL)\nsignal.signal(signal.SIGPIPE, signal.SIG_IGN)", []ReplacedHandler{{syscall.SIGPIPE, false}, {syscall.SIGTERM, false}}},
	{
		"native", "libc = ctypes.CDLL(None)\nlibc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]\nfor s in (7, 11, 23, 50): libc.signal(s, ctypes.cast(libc.abort, ctypes.c_void_p))",
		[]ReplacedHandler{{syscall.SIGBUS, true}, {syscall.SIGSEGV, true}, {syscall.SIGURG, true}, {50, true}},
	},
	{"siginterrupt", "signal.siginterrupt(signal.SIGUSR1, True)", []ReplacedHandler{{syscall.SIGUSR1, false}}},
}

func testSignals(t *testing.T) {
	before := allActions(t)
	for s := syscall.Signal(1); s < 65; s++ {
		if a := before[s]; a.handler > 1 && a.flags&onStack == 0 && s != 32 && s != 33 {
			t.Errorf("Python's start left signal %d without SA_ONSTACK", s)
		}
	}
	for _, r := range replacements {
		onMainThread(t, func() { same(t, r.name, PyRun_SimpleString(r.source), 0) })
		if r.want != nil && allActions(t) == before {
			t.Errorf("%s: replaced nothing", r.name)
		}
		replaced, err := RestoreSignalHandlers()
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		expectReplaced(t, r.name, replaced, r.want)
		if after := allActions(t); after != before {
			t.Errorf("%s: handlers are\n%v\nwant\n%v", r.name, after, before)
		}
		nilDereference(t)
	}
	onMainThread(t, func() {
		PyRun_SimpleString("for s in (7, 11, 50): libc.signal(s, ctypes.cast(libc.abort, ctypes.c_void_p))")
	})
	replaced, err := RestoreSignalHandlers(FatalSignals...)
	same(t, "only", err, nil)
	expectReplaced(t, "only the fatal ones", replaced, []ReplacedHandler{{syscall.SIGBUS, true}, {syscall.SIGSEGV, true}})
	replaced, _ = RestoreSignalHandlers()
	expectReplaced(t, "the rest", replaced, []ReplacedHandler{{50, true}})

	// What Go itself installs later is Go's to keep.
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGUSR2)
	defer signal.Stop(arrived)
	if err := pprof.StartCPUProfile(discard{}); err != nil {
		t.Fatal(err)
	}
	replaced, _ = RestoreSignalHandlers()
	expectReplaced(t, "Go's own", replaced, nil)
	pprof.StopCPUProfile()
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	<-arrived
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func expectReplaced(t *testing.T, what string, got, want []ReplacedHandler) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: replaced %v, want %v", what, got, want)
		return
	}
	for i := range got {
		same(t, what, got[i], want[i])
	}
}

// nilDereference is a fault in Go: it must be a Go panic.
func nilDereference(t *testing.T) {
	t.Helper()
	var o *struct{ field int }
	sentence := panics(t, "nil dereference", func() { o.field++ })
	if !strings.Contains(sentence, "nil pointer dereference") {
		t.Errorf("nil dereference: %q", sentence)
	}
}

// testFaulthandler lets faulthandler take the fatal signals and, for the thread, the stack of signal handlers.
func testFaulthandler(t *testing.T) {
	before := allActions(t)
	python(t, func() {
		same(t, "enable", PyRun_SimpleString("import faulthandler\nfaulthandler.disable()\nfaulthandler.enable()"), 0)
		replaced, err := RestoreSignalHandlers()
		same(t, "restore", err, nil)
		same(t, "replaced", len(replaced), len(FatalSignals))
		same(t, "handlers", allActions(t) == before, true)
		nilDereference(t)
		same(t, "disable", PyRun_SimpleString("faulthandler.disable()"), 0)
		if replaced, _ := RestoreSignalHandlers(); len(replaced) != 0 {
			t.Errorf("faulthandler.disable left %v", replaced)
		}
		nilDereference(t)
	})
}
