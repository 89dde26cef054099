package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/venv"
)

// session is one plugin with a segment to hand it tensors in.
type session struct {
	segment *bridge.Segment
	plugin  *bridge.Plugin
	loaded  []string // kernels that --ops brought
}

// startPlugin starts a plugin that FindPlugin finds. The interpreter, if it has one, starts with the first call.
func (a *app) startPlugin(ctx context.Context, segment *bridge.Segment, name string, environment ...string) (*bridge.Plugin, error) {
	manifest, err := bridge.FindPlugin(name, a.settings.pluginPath()...)
	if err != nil {
		return nil, err
	}
	return a.startManifest(ctx, segment, manifest, environment...)
}

// startManifest starts a plugin on its own venv or on the settings'. A program with a manifest may do without Python.
func (a *app) startManifest(ctx context.Context, segment *bridge.Segment, manifest bridge.Manifest, environment ...string) (*bridge.Plugin, error) {
	chosen := manifest.Venv
	if chosen == "" {
		chosen = a.settings.venv()
	}
	python, err := venv.Find(chosen)
	if err != nil && (manifest.File == "" || manifest.Module != "" || manifest.Venv != "") {
		return nil, err
	}
	config, err := manifest.Config(a.settings.pluginPath()...)
	if err != nil {
		return nil, err
	}
	config.Segment, config.Logger = segment, a.log
	config.Env = slices.Concat([]string{"LAYACTL_PYTHON=" + python, "LAYACTL_CACHE_DIR=" + a.settings.cacheDir()}, config.Env, environment)
	return bridge.Start(ctx, config)
}

// startTileLang starts the tilelang plugin for the CPU: it sees no GPU, so it holds none of its memory. A file of
// kernel specs is loaded into it if there is one.
func (a *app) startTileLang(ctx context.Context, opsFile string) (*session, error) {
	segment, err := bridge.NewSegment(0)
	if err != nil {
		return nil, err
	}
	s := &session{segment: segment}
	if s.plugin, err = a.startPlugin(ctx, segment, "tilelang", "CUDA_VISIBLE_DEVICES="); err == nil {
		s.loaded, err = loadOps(ctx, s.plugin, opsFile)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// startCUDA starts a second tilelang plugin, on the same segment, that sees the GPUs.
func (a *app) startCUDA(ctx context.Context, s *session, opsFile string) (*bridge.Plugin, error) {
	plugin, err := a.startPlugin(ctx, s.segment, "tilelang")
	if err != nil {
		return nil, err
	}
	if _, err := loadOps(ctx, plugin, opsFile); err != nil {
		return nil, errors.Join(err, plugin.Close())
	}
	return plugin, nil
}

// loadOps adds the kernels of a Python file to a plugin and returns their names; no file, no names.
func loadOps(ctx context.Context, plugin *bridge.Plugin, file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	var names []string
	data, err := plugin.Call(ctx, bridge.Request{Op: "load", Params: map[string]string{"path": file}})
	if err == nil {
		err = json.Unmarshal(data, &names)
	}
	if err != nil {
		return nil, fmt.Errorf("--ops: %w", err)
	}
	return names, nil
}

// Close ends the plugin and gives the memory back.
func (s *session) Close() error {
	var err error
	if s.plugin != nil {
		err = s.plugin.Close()
	}
	return errors.Join(err, s.segment.Close())
}
