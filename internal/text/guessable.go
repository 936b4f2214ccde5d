package text

// IsGuessable reports whether a key can be guessed by its form alone: few different characters, one part repeated, or
// mostly neighbours in the alphabet or among the digits. It says nothing about words; the minimal length is the
// caller's.
func IsGuessable(key string) bool {
	const fewest = 6 // different characters; 16 random hex digits have fewer once in 10,000 times
	different := map[byte]bool{}
	neighbours := 0
	for i := range len(key) {
		different[key[i]] = true
		if i > 0 {
			if d := int(key[i]) - int(key[i-1]); d >= -1 && d <= 1 {
				neighbours++
			}
		}
	}
	return len(different) < fewest || 3*neighbours > 2*(len(key)-1) || repeats(key)
}

// repeats reports whether key is one shorter text several times, the last of them perhaps cut off.
func repeats(key string) bool {
	for period := 1; period <= len(key)/2; period++ {
		if key[period:] == key[:len(key)-period] {
			return true
		}
	}
	return false
}
