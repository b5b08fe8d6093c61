package partition

// Enum lists the words for a specification.
func (Values) Enum() []string { return []string{string(Uniform), string(Midpoint), string(Low)} }
