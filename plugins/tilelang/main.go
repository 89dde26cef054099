// Command laya-plugin-tilelang is the plugin that compiles and runs TileLang kernels. layactl starts it.
package main

import (
	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/plugins/internal/interp"
)

func main() {
	bridge.Serve(interp.NewBackend("layabridge.ops.tilelang"))
}
