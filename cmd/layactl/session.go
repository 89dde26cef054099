package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/venv"
)

// session is one plugin with a segment to hand it tensors in.
type session struct {
	segment *bridge.Segment
	plugin  *bridge.Plugin
	loaded  []string // kernels that --ops brought
}

// startPlugin starts laya-plugin-NAME on the settings' venv. The interpreter starts with the first call.
func (a *app) startPlugin(ctx context.Context, name string, environment ...string) (*session, error) {
	python, err := venv.Find(a.settings.venv())
	if err != nil {
		return nil, err
	}
	path, err := bridge.FindPlugin(name, a.settings.pluginPath()...)
	if err != nil {
		return nil, err
	}
	segment, err := bridge.NewSegment(0)
	if err != nil {
		return nil, err
	}
	plugin, err := bridge.Start(ctx, bridge.Config{
		Path: path, Name: name, Segment: segment, Logger: a.log,
		Env: append([]string{"LAYACTL_PYTHON=" + python, "LAYACTL_CACHE_DIR=" + a.settings.cacheDir()}, environment...),
	})
	if err != nil {
		return nil, errors.Join(err, segment.Close())
	}
	return &session{segment: segment, plugin: plugin}, nil
}

// startTileLang starts the tilelang plugin for the CPU: it sees no GPU, so it holds none of its memory. A file of
// kernel specs is loaded into it if there is one.
func (a *app) startTileLang(ctx context.Context, opsFile string) (*session, error) {
	s, err := a.startPlugin(ctx, "tilelang", "CUDA_VISIBLE_DEVICES=")
	if err != nil || opsFile == "" {
		return s, err
	}
	names, err := s.plugin.Call(ctx, bridge.Request{Op: "load", Params: map[string]string{"path": opsFile}})
	if err == nil {
		err = json.Unmarshal(names, &s.loaded)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--ops: %w", err), s.Close())
	}
	return s, nil
}

// Close ends the plugin and gives the memory back.
func (s *session) Close() error { return errors.Join(s.plugin.Close(), s.segment.Close()) }
