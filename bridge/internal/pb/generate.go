// Package pb is the generated wire code. Run `go generate` here after a change to bridge.proto; protoc must be on PATH.
package pb

//go:generate sh -c "protoc --plugin=$DOLLAR(go tool -n protoc-gen-go) --plugin=$DOLLAR(go tool -n protoc-gen-go-grpc) --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative bridge.proto"
