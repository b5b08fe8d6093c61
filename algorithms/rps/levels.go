package rps

// level is what the queries of one level of the tree may spend; 0 where there is no such query.
type level struct {
	stop, cut float64
}

// levels divides what leaves do not get of epsilon over the levels 0 to Depth-1 of a path.
func (p *Params) levels(epsilon float64) []level {
	levels := make([]level, p.Depth)
	share := float64(epsilon*(1-leafShare)) / float64(p.Depth)
	for d := range levels {
		stops := p.StopCheck && (p.Allocation != ShallowLevels || d >= p.ShallowDepth)
		cuts := p.Partition != Fixed
		switch {
		case stops && cuts:
			levels[d] = level{stop: share / 2, cut: share / 2}
		case stops:
			levels[d].stop = share
		case cuts:
			levels[d].cut = share
		}
	}
	return levels
}
