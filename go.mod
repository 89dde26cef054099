module github.com/layactl/layactl

go 1.26.0

require (
	github.com/DataDog/go-python3 v0.0.0-20211102160307-40adc605f1fe
	github.com/hashicorp/go-hclog v1.6.3
	github.com/hashicorp/go-plugin v1.8.0
	github.com/spf13/cobra v1.10.2
	go.uber.org/zap v1.28.0
	golang.org/x/sys v0.50.0
)

// The released go-python3 links CPython 3.7; torch and TileLang need 3.10 or newer. See RATIONALE.md.
replace github.com/DataDog/go-python3 => ./plugins/go-python3
