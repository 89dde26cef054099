package report

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Printer writes for people. Not for concurrent use.
type Printer struct {
	out      io.Writer
	progress *os.File
	err      error
}

// NewPrinter returns a printer that writes to out and shows progress on progress when that is a terminal.
func NewPrinter(out io.Writer, progress *os.File) *Printer {
	return &Printer{out: out, progress: progress}
}

// Err returns the first error of writing, such as a full disk.
func (p *Printer) Err() error { return p.err }

// Printf writes like fmt.Printf.
func (p *Printer) Printf(format string, args ...any) { p.write(fmt.Sprintf(format, args...)) }

func (p *Printer) write(s string) {
	if _, err := io.WriteString(p.out, s); err != nil && p.err == nil {
		p.err = err
	}
}

// Table is rows of cells under a header. Cells may hold line breaks and coloured text.
type Table struct {
	Header []string // nil for none
	Rows   [][]string
	// Right lists the columns, from 0, whose cells end at the same place: numbers.
	Right []int
}

// Table writes t with aligned columns and no lines, the same on a terminal and in a file.
func (p *Printer) Table(t Table) {
	w := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	if t.Header != nil {
		w.AppendHeader(row(t.Header))
	}
	for _, cells := range t.Rows {
		w.AppendRow(row(cells))
	}
	var columns []table.ColumnConfig
	for _, column := range t.Right {
		columns = append(columns, table.ColumnConfig{Number: column + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w.SetColumnConfigs(columns)
	for line := range strings.Lines(w.Render()) {
		p.write(strings.TrimRight(line, " \n") + "\n")
	}
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, cell := range cells {
		r[i] = cell
	}
	return r
}

// Good, Warn and Bad colour a text; Faint lets it step back. They leave it as it is when colours are off.
func Good(s string) string  { return text.FgGreen.Sprint(s) }
func Warn(s string) string  { return text.FgYellow.Sprint(s) }
func Bad(s string) string   { return text.FgRed.Sprint(s) }
func Faint(s string) string { return text.Faint.Sprint(s) }

// isTerminal says whether file is one.
func isTerminal(file *os.File) bool { return file != nil && term.IsTerminal(int(file.Fd())) }
