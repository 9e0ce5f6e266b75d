// Command figures makes a table of the samples of try.sh: figures TARGET FILE [TARGET FILE...] prints the lines (group, row,
// column, figure) that cargo xtask tables reads. A time is the median over the rounds, for a key. A ratio is the median
// of the rounds' ratios to the AES hash, whose sample was taken in the same round. A target's last lines are geometric
// means of these ratios. On amd64 the targets of SipHash-1-3 stand beside them.
package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// hashes are those of try.sh, and their columns. The first is the one that the others are compared with.
var hashes = [][2]string{
	{"aes", "AES, ns"}, {"1.3", "1-3"}, {"1.1", "1-1"}, {"2.4", "2-4"}, {"portable", "Go's portable"},
	{"jenkins", "Jenkins"}, {"fnv1a", "FNV-1a"}, {"dchest", "dchest 2-4"},
}

// A kind of keys has its own mean. target is the ratio that SipHash-1-3 must not exceed on amd64. 0 is no target.
type kind struct {
	name   string
	bytes  []int
	target float64
}

// kinds has a kind for each cell. Integers count as strings of no bytes.
var kinds = []kind{
	{"integers", []int{0}, 1.15}, {"strings of 2 to 6 bytes", []int{2, 4, 6}, 1.25}, {"strings of 8 bytes", []int{8}, 0},
	{"strings of 20 bytes", []int{20}, 0.95}, {"strings of 100 bytes", []int{100}, 1.5},
}

var sample = regexp.MustCompile(`^BenchmarkLives/keys=(\w+)(?:/bytes=(\d+))?/count=(\d+)/hash=([^-\s]+)\S*\s+\d+\s+(\S+) ns/op`)

func main() {
	if len(os.Args) < 3 || len(os.Args)%2 == 0 {
		fmt.Fprintln(os.Stderr, "usage: figures TARGET FILE [TARGET FILE...]")
		os.Exit(2)
	}
	out := csv.NewWriter(os.Stdout)
	out.Write([]string{"group", "row", "column", "figure"})
	for pair := range slices.Chunk(os.Args[1:], 2) {
		if err := run(pair[0], pair[1], out); err != nil {
			fmt.Fprintln(os.Stderr, "figures:", err)
			os.Exit(1)
		}
	}
	if out.Flush(); out.Error() != nil {
		fmt.Fprintln(os.Stderr, "figures:", out.Error())
		os.Exit(1)
	}
}

// A cell is a benchmark. It has the nanoseconds for a key of each round, by hash, and the ratios that were written.
type cell struct {
	group, row string
	bytes      int
	rounds     map[string][]float64
	ratios     map[string]float64
}

// run writes the lines of a file.
func run(target, path string, out *csv.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var cells []*cell
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		found := sample.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		keys, hash, bytes := found[1], found[4], 0
		count, err := strconv.ParseFloat(found[3], 64)
		if err != nil {
			return err
		}
		time, err := strconv.ParseFloat(found[5], 64)
		if err != nil {
			return err
		}
		group, row := target+", integers", found[3]
		if keys != "int" {
			if bytes, err = strconv.Atoi(found[2]); err != nil {
				return err
			}
			group, row = fmt.Sprintf("%s, strings, keys %s", target, keys), fmt.Sprintf("%s of %d bytes", found[3], bytes)
		}
		at := slices.IndexFunc(cells, func(c *cell) bool { return c.group == group && c.row == row })
		if at < 0 {
			at = len(cells)
			cells = append(cells, &cell{group, row, bytes, map[string][]float64{}, map[string]float64{}})
		}
		cells[at].rounds[hash] = append(cells[at].rounds[hash], time/count)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	// A hash without any sample was not asked for: `try.sh quick` measures a few.
	asked := slices.DeleteFunc(slices.Clone(hashes), func(hash [2]string) bool {
		return !slices.ContainsFunc(cells, func(c *cell) bool { return len(c.rounds[hash[0]]) > 0 })
	})
	for _, c := range cells {
		base := c.rounds[hashes[0][0]]
		for i, hash := range asked {
			rounds := c.rounds[hash[0]]
			if len(base) == 0 || len(rounds) != len(base) {
				return fmt.Errorf("%s, %s: %d rounds of %s, %d of %s", c.group, c.row, len(rounds), hash[0], len(base), hashes[0][0])
			}
			figure := fmt.Sprintf("%.1f", median(rounds))
			if i > 0 {
				ratios := make([]float64, len(rounds))
				for round := range rounds {
					ratios[round] = rounds[round] / base[round]
				}
				c.ratios[hash[0]] = median(ratios)
				figure = fmt.Sprintf("%.2f", c.ratios[hash[0]])
			}
			if err := out.Write([]string{c.group, c.row, hash[1], figure}); err != nil {
				return err
			}
		}
	}
	for _, k := range kinds {
		if err := k.write(target, asked, cells, out); err != nil {
			return err
		}
	}
	return nil
}

// write writes a kind's means, if there are cells of it.
func (k kind) write(target string, hashes [][2]string, cells []*cell, out *csv.Writer) error {
	var lines [][]string
	if target == "amd64" && k.target > 0 {
		lines = append(lines, []string{"aim of 1-3", fmt.Sprintf("%.2f", k.target)})
	}
	for _, hash := range hashes[1:] {
		sum, n := 0.0, 0
		for _, c := range cells {
			if slices.Contains(k.bytes, c.bytes) {
				sum, n = sum+math.Log(c.ratios[hash[0]]), n+1
			}
		}
		if n == 0 {
			return nil
		}
		lines = append(lines, []string{hash[1], fmt.Sprintf("%.2f", math.Exp(sum/float64(n)))})
	}
	for _, line := range lines {
		if err := out.Write(append([]string{target + ", means", k.name}, line...)); err != nil {
			return err
		}
	}
	return nil
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	middle := len(list) / 2
	if len(list)%2 == 1 {
		return list[middle]
	}
	return (list[middle-1] + list[middle]) / 2
}
