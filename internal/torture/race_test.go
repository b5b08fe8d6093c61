//go:build race

package torture

func init() { raceDetector = true }
