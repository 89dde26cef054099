package main

import (
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// newLogger returns the log on stderr. Plugins log into it too, under their names.
func newLogger(stderr io.Writer, s settings) *zap.Logger {
	level, err := zapcore.ParseLevel(s.value("log-level"))
	if err != nil {
		level = zap.WarnLevel // loadSettings lets none of these through
	}
	config := zap.NewProductionEncoderConfig()
	config.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewJSONEncoder(config)
	if s.value("log-format") == "console" {
		config.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		encoder = zapcore.NewConsoleEncoder(config)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(stderr)), level))
}
