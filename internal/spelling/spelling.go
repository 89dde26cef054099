// Package spelling finds the word that was meant.
package spelling

// Nearest returns the known word that name was most likely meant to be, "" when none is near.
func Nearest(name string, known []string) string {
	nearest, distance := "", len(name) // a name is no nearer to another that shares nothing with it
	for _, word := range known {
		if d := editDistance(name, word); d < distance {
			nearest, distance = word, d
		}
	}
	if distance > 3 {
		return ""
	}
	return nearest
}

// editDistance is the number of insertions, deletions and replacements of bytes that turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
