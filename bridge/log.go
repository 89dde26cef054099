package bridge

import (
	"io"
	"strings"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// newHCLog returns a logger for go-plugin whose entries go to log. Lines that a plugin writes to stderr arrive under
// the plugin's name; go-plugin's own remarks about processes are for debugging only, since bridge reports the same
// events as errors.
func newHCLog(log *zap.Logger) hclog.Logger {
	logger := hclog.NewInterceptLogger(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Trace})
	logger.RegisterSink(zapSink{log})
	return logger
}

type zapSink struct{ log *zap.Logger }

// Accept is called by hclog for every entry.
func (s zapSink) Accept(name string, level hclog.Level, msg string, args ...any) {
	zapLevel := zapcore.DebugLevel
	fromPlugin := name != ""
	if fromPlugin {
		switch level {
		case hclog.Error:
			zapLevel = zapcore.ErrorLevel
		case hclog.Warn:
			zapLevel = zapcore.WarnLevel
		case hclog.Info:
			zapLevel = zapcore.InfoLevel
		}
	}
	entry := s.log.Check(zapLevel, strings.ToValidUTF8(msg, "\uFFFD"))
	if entry == nil {
		return
	}
	fields := make([]zap.Field, 0, len(args)/2+1)
	if fromPlugin {
		fields = append(fields, zap.String("plugin", name))
	}
	for i := 0; i+1 < len(args); i += 2 {
		if key, ok := args[i].(string); ok {
			fields = append(fields, zap.Any(key, args[i+1]))
		}
	}
	entry.Write(fields...)
}
