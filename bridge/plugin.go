package bridge

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/layactl/layactl/bridge/internal/pb"
)

// Config says how to start a plugin. The zero value of every field but Path is usable.
type Config struct {
	// Path is the plugin's program; see FindPlugin.
	Path string
	// Args are its arguments.
	Args []string
	// Name is how errors and logs call it. Default: the program's name without "laya-plugin-".
	Name string
	// Env is added to this process's environment, as "KEY=value".
	Env []string
	// Segment holds the tensors of calls. Without one only calls without tensors are possible.
	Segment *Segment
	// Logger gets what the plugin prints and logs. Default: nothing is logged.
	Logger *zap.Logger
	// TempDir is where the plugin's private folder is made. Default: os.TempDir().
	TempDir string
	// StartTimeout limits the time to the handshake. Default: 10 s. The interpreter starts later, in Info or Call.
	StartTimeout time.Duration
	// CancelGrace is how long a cancelled call may take to return before the plugin is ended. Default: 2 s.
	CancelGrace time.Duration
	// Checksum is the SHA-256 that the program must have, in hexadecimal. Default: any program is started.
	Checksum string
	// MTLS encrypts the connection and lets each side prove itself with a certificate made for this one start.
	MTLS bool
	// CloseTimeout is how long the plugin may take to close before it is ended. Default: 2 s.
	CloseTimeout time.Duration
}

func (c *Config) setDefaults() {
	if c.Name == "" {
		c.Name = strings.TrimPrefix(filepath.Base(c.Path), programPrefix)
	}
	if c.Logger == nil {
		c.Logger = zap.NewNop()
	}
	for _, d := range []struct {
		field    *time.Duration
		standard time.Duration
	}{{&c.StartTimeout, 10 * time.Second}, {&c.CancelGrace, 2 * time.Second}, {&c.CloseTimeout, 2 * time.Second}} {
		if *d.field == 0 {
			*d.field = d.standard
		}
	}
}

// Plugin is a running plugin process. All methods may be called concurrently.
type Plugin struct {
	config  Config
	client  *plugin.Client
	process *process
	remote  pb.PluginClient
	lines   *lastLines
	dir     *runDir

	closeOnce sync.Once
	closeErr  error
	closing   chan struct{}
}

// Start starts a plugin's process and shakes hands with it. ctx limits the start only; the process lives until Close.
//
// It returns ErrPluginNotFound when there is no such program or it is not a plugin, ErrPluginExited with an *ExitError
// when it ended at once, ErrDeadlineExceeded when it did not answer, ErrUnsupportedHere when it speaks another protocol,
// ErrPackageRejected when it does not have the checksum.
func Start(ctx context.Context, config Config) (*Plugin, error) {
	config.setDefaults()
	if err := checkProgram(config.Path); err != nil {
		return nil, err
	}
	if err := checkChecksum(config.Path, config.Checksum); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, contextError(ctx, "start of plugin "+config.Name)
	}
	dir, err := newRunDir(config.TempDir)
	if err != nil {
		return nil, err
	}
	p := &Plugin{config: config, lines: &lastLines{}, dir: dir, closing: make(chan struct{})}
	p.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		Plugins:          plugin.PluginSet{dispensed: &glue{}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         config.MTLS,
		RunnerFunc:       p.newRunner,
		SkipHostEnv:      true, // newRunner adds it, with ours on top
		StartTimeout:     config.StartTimeout,
		Logger:           newHCLog(config.Logger.With(zap.String("plugin", config.Name))),
		Stderr:           p.lines,
		SyncStdout:       p.lines,
		SyncStderr:       p.lines,
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: dir.sockets},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
		},
	})
	stop := context.AfterFunc(ctx, p.kill) // go-plugin's Start knows no context
	err = p.connect()
	if !stop() && err == nil {
		err = contextError(ctx, "start of plugin "+config.Name)
	}
	if err != nil {
		err = p.startError(ctx, err)
		p.kill()
		p.client.Kill()
		killMarked(dir.path)
		_ = dir.remove()
		return nil, err
	}
	return p, nil
}

// newRunner is called by go-plugin with its part of the environment.
func (p *Plugin) newRunner(_ hclog.Logger, spec *exec.Cmd, _ string) (runner.Runner, error) {
	cmd := exec.Command(p.config.Path, p.config.Args...)
	cmd.Env = append(os.Environ(), p.config.Env...)
	cmd.Env = append(cmd.Env, spec.Env...)
	cmd.Env = append(cmd.Env,
		"TMPDIR="+p.dir.temp(),
		envRunDir+"="+p.dir.all(),
		envParent+"="+strconv.Itoa(os.Getpid()),
	)
	if p.config.Segment != nil {
		cmd.ExtraFiles = []*os.File{p.config.Segment.file}
		cmd.Env = append(cmd.Env, envSegment+"=3") // the first of ExtraFiles
	} else {
		cmd.Env = append(cmd.Env, envSegment+"=")
	}
	p.process = newProcess(p.config.Name, cmd)
	return p.process, nil
}

func (p *Plugin) connect() error {
	protocol, err := p.client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(dispensed)
	if err != nil {
		return err
	}
	p.remote = raw.(pb.PluginClient)
	return nil
}

// startError says what was found instead of a plugin.
func (p *Plugin) startError(ctx context.Context, err error) error {
	name, text := p.config.Name, err.Error()
	switch {
	case ctx.Err() != nil:
		return contextError(ctx, "start of plugin "+name)
	case p.process == nil || p.process.cmd.Process == nil:
		return Errorf(ErrPluginNotFound, "plugin %s cannot be started: %v", name, err)
	case strings.Contains(text, "timeout while waiting"):
		return Errorf(ErrDeadlineExceeded, "plugin %s (%s) did not answer the handshake within %v", name, p.config.Path, p.config.StartTimeout)
	case strings.Contains(text, "incompatible API version"):
		return Errorf(ErrUnsupportedHere, "plugin %s speaks another protocol than this program, which speaks %d: %s", name, ProtocolVersion, firstLine(text))
	}
	// A program that printed something else on stdout is about to end, or has.
	_, printed, garbage := strings.Cut(firstLine(text), "Unrecognized remote plugin message:")
	if printed = strings.TrimSpace(printed); garbage && printed != "" {
		return Errorf(ErrPluginNotFound, "%s is not a layactl plugin: expected a handshake on stdout, got %q", p.config.Path, printed)
	}
	select {
	case <-p.process.exited:
		return fmt.Errorf("no handshake: %w", p.process.exitError("", p.lines))
	case <-time.After(time.Second):
		return Errorf(ErrPluginNotFound, "plugin %s: %s", name, firstLine(text))
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// Name returns the name that errors and logs use.
func (p *Plugin) Name() string { return p.config.Name }

// PID returns the process's id.
func (p *Plugin) PID() int { return p.process.cmd.Process.Pid }

// Exited is closed when the process has ended, for whatever reason.
func (p *Plugin) Exited() <-chan struct{} { return p.process.exited }

// Info asks what the plugin offers. The first call starts its interpreter. It returns the plugin's own error, or that
// of a process that ended or did not answer in time, as Call does.
func (p *Plugin) Info(ctx context.Context) (Info, error) {
	reply, err := p.remote.Info(ctx, &pb.InfoRequest{})
	switch {
	case err == nil && reply.Error != nil:
		return Info{}, fmt.Errorf("plugin %s: %w", p.config.Name, fromWire(reply.Error))
	case err == nil:
		return infoFromWire(reply), nil
	case ctx.Err() != nil:
		p.kill() // an interpreter that is half started cannot be stopped in another way
		return Info{}, contextError(ctx, "start of the interpreter of plugin "+p.config.Name)
	default:
		return Info{}, p.lost("", err)
	}
}

// Close asks the plugin to close, ends its process and everything it started, and removes its folder. Calls in flight
// fail with ErrPluginExited. Close is idempotent and waits for the end in every case.
func (p *Plugin) Close() error {
	p.closeOnce.Do(func() {
		close(p.closing)
		ctx, cancel := context.WithTimeout(context.Background(), p.config.CloseTimeout)
		defer cancel()
		_, _ = p.remote.Close(ctx, &pb.CloseRequest{}) // a plugin that does not answer is ended all the same
		p.kill()
		p.client.Kill() // with the process gone it only tidies its connections and its socket
		killMarked(p.dir.path)
		p.closeErr = p.dir.remove()
	})
	return p.closeErr
}

// kill ends the process group and waits for the process.
func (p *Plugin) kill() {
	if p.process != nil {
		_ = p.process.Kill(context.Background())
	}
}

// lost says why a call's connection broke: nearly always because the process ended.
func (p *Plugin) lost(op string, err error) error {
	select {
	case <-p.process.exited:
	case <-time.After(time.Second):
		return Errorf(ErrPluginExited, "plugin %s: the connection is lost: %v", p.config.Name, err)
	}
	select {
	case <-p.closing:
		return Errorf(ErrPluginExited, "plugin %s is closed", p.config.Name)
	default:
		return p.process.exitError(op, p.lines)
	}
}

func contextError(ctx context.Context, what string) error {
	if ctx.Err() == context.DeadlineExceeded {
		return Errorf(ErrDeadlineExceeded, "%s: deadline exceeded", what)
	}
	return Errorf(ErrCancelled, "%s: cancelled", what)
}
