package results

// RegionSide is how far one region of a cell's release reaches along one attribute: a line of regions.csv. Low and
// High lie halfway between neighbouring values, in the attribute's unit, or are places in the list of its values where
// these are words, counted from 0; a value v is inside if Low < v < High.
type RegionSide struct {
	Cell      int     `json:"cell"` // index of the cell's line in records.jsonl, from 0
	Region    int     `json:"region"`
	Records   float64 `json:"records"` // the region's published count over all classes
	Attribute string  `json:"attribute"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
}

// RowValue is one attribute's value in one row of an experiment's original data: a line of rows.csv. Words
// are places as in RegionSide.
type RowValue struct {
	Dataset   string // as in Record.Dataset
	Row       int
	Attribute string
	Value     float64
}
