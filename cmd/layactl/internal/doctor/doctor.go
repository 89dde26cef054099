// Package doctor examines whether this host can run layactl's plugins, and says what to do where it cannot.
package doctor

import (
	"context"
	"time"

	"github.com/layactl/layactl/bridge/venv"
)

// Status of one line.
type Status string

const (
	// OK: as it should be.
	OK Status = "ok"
	// Warning: the main job runs, but something else does not, or not well.
	Warning Status = "warning"
	// Missing: the main job, validating the kernels, cannot run.
	Missing Status = "missing"
)

// Line is one finding.
type Line struct {
	Topic  string `json:"topic"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	// Fix is what to do, where Found does not say it already.
	Fix string `json:"fix,omitempty"`
}

// Config says what to examine.
type Config struct {
	// Venv, PluginPath and CacheDir are the settings of those names.
	Venv       string
	PluginPath []string
	CacheDir   string
	// Deep also imports torch, TileLang and layabridge, which takes seconds.
	Deep bool
	// CompileTimeout ends a compiler that does not. Default: 30 s.
	CompileTimeout time.Duration
	// Begin is called with each topic before it is examined. Default: nothing is called.
	Begin func(topic string)
}

// examination is one run: its findings, and the Python that later topics need.
type examination struct {
	Config
	lines  []Line
	python venv.Environment // zero when there is none to use
}

// topics in the order in which a reader can act on them.
var topics = []struct {
	name    string
	examine func(*examination, context.Context)
}{
	{"python", (*examination).interpreter},
	{"packages", (*examination).distributions},
	{"compiler", (*examination).compiler},
	{"temp folder", (*examination).tempFolder},
	{"cache folder", (*examination).cacheFolder},
	{"memory", (*examination).memory},
	{"shared memory", (*examination).sharedMemory},
	{"plugins", (*examination).plugins},
	{"cuda", (*examination).cuda},
	{"imports", (*examination).imports},
}

// Topics returns how many topics Examine goes through.
func Topics() int { return len(topics) }

// Examine returns a finding for every topic. It changes nothing on the host; what it tries out lies in a temporary
// folder that is gone afterwards. The error is the context's.
func Examine(ctx context.Context, config Config) ([]Line, error) {
	e := &examination{Config: config}
	if e.CompileTimeout == 0 {
		e.CompileTimeout = 30 * time.Second
	}
	for _, topic := range topics {
		if e.Begin != nil {
			e.Begin(topic.name)
		}
		topic.examine(e, ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return e.lines, nil
}

// Worst returns the worst status among lines.
func Worst(lines []Line) Status {
	worst := OK
	for _, line := range lines {
		if line.Status == Missing || line.Status == Warning && worst == OK {
			worst = line.Status
		}
	}
	return worst
}

func (e *examination) ok(topic, found string)           { e.add(Line{topic, OK, found, ""}) }
func (e *examination) warning(topic, found, fix string) { e.add(Line{topic, Warning, found, fix}) }
func (e *examination) missing(topic, found, fix string) { e.add(Line{topic, Missing, found, fix}) }
func (e *examination) add(line Line)                    { e.lines = append(e.lines, line) }
