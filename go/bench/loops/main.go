// Command loops counts the cells of the suite Loop that are slower than the loop: loops FILE prints the lines (group, row,
// column, figure) that cargo xtask tables reads. A cell's ratio is the median over its rounds.
package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// limit is the largest ratio that does not count as slower.
const limit = 1.03

var line = regexp.MustCompile(`^BenchmarkAgainstLoop/hash=([^/]+)/call=([^/]+)(?:/(bytes=[^/]+))?/n=(\d+)\S*\s.*\s(\S+) ratio`)

// sizes are the columns: the most messages of a call, and the head.
var sizes = []struct {
	most int
	head string
}{{1, "1"}, {3, "2, 3"}, {8, "4 to 8"}, {32, "12 to 32"}, {128, "48 to 128"}}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: loops FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "loops:", err)
		os.Exit(1)
	}
}

// A cell is a call with some lengths and some number of messages.
type cell struct {
	row    string
	size   int
	ratios []float64
}

// run writes the table of a file.
func run(path string, to io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var cells []*cell
	byName := map[string]*cell{}
	var rows []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		found := line.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		name := fmt.Sprint(found[1:5])
		c := byName[name]
		if c == nil {
			n, err := strconv.Atoi(found[4])
			if err != nil {
				return err
			}
			size := 0
			for size < len(sizes)-1 && n > sizes[size].most {
				size++
			}
			c = &cell{row: found[2], size: size}
			byName[name] = c
			cells = append(cells, c)
			if !slices.Contains(rows, c.row) {
				rows = append(rows, c.row)
			}
		}
		ratio, err := strconv.ParseFloat(found[5], 64)
		if err != nil {
			return err
		}
		c.ratios = append(c.ratios, ratio)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if len(cells) == 0 {
		return fmt.Errorf("%s has no cells", path)
	}
	out := csv.NewWriter(to)
	out.Write([]string{"group", "row", "column", "figure"})
	put := func(row, column string, keep func(*cell) bool) {
		all, slower, worst := 0, 0, 0.0
		for _, c := range cells {
			if keep(c) {
				ratio := median(c.ratios)
				worst = max(worst, ratio)
				all++
				if ratio > limit {
					slower++
				}
			}
		}
		out.Write([]string{"slower than the loop, worst", row, column, fmt.Sprintf("%d of %d, %.2f", slower, all, worst)})
	}
	for _, row := range append(rows, "all") {
		of := func(c *cell) bool { return row == "all" || c.row == row }
		for i, size := range sizes {
			put(row, "n = "+size.head, func(c *cell) bool { return of(c) && c.size == i })
		}
		put(row, "all", of)
	}
	out.Flush()
	return out.Error()
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	middle := len(list) / 2
	if len(list)%2 == 1 {
		return list[middle]
	}
	return (list[middle-1] + list[middle]) / 2
}
