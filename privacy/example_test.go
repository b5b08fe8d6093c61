package privacy_test

import (
	"errors"
	"fmt"

	"ppdp/numeric/random"
	"ppdp/privacy"
)

// A budget of 1 pays for a noisy count of everybody and for two of disjoint groups, which cost as
// much as one. The same seed gives the same noise again: this is for experiments.
func ExampleBudget() {
	streams := random.NewStreams(random.NewKey(1))
	budget := privacy.NewBudget(1)
	counts := budget.Geometric("counts", streams.Open("counts"), privacy.Exact(1))

	path := budget.Root()
	if _, err := counts.Add(&path, 0.25, 1000); err != nil { // of everybody
		fmt.Println(err)
	}
	for _, group := range []float64{400, 600} {
		branch := path.Fork()
		if _, err := counts.Add(&branch, 0.5, group); err != nil {
			fmt.Println(err)
		}
	}
	claimed, proven := budget.Spent()
	fmt.Println("spent:", claimed, proven)

	branch := path.Fork()
	_, err := counts.Add(&branch, 0.8, 400)
	fmt.Println("overspent:", errors.Is(err, privacy.ErrOverspent))
	// Output:
	// spent: 0.75 0.75
	// overspent: true
}

// What is handed out draws from the operating system's randomness, exactly or not at all.
func ExamplePublication() {
	publication := privacy.NewPublication(1, 0)
	budget, noise := publication.Budget, publication.Noise
	path := budget.Root()

	counts := budget.Geometric("counts", noise.Open("counts"), privacy.Exact(1))
	_, err := counts.Add(&path, 0.5, 1000)
	fmt.Println("whole numbers:", err)

	means := budget.Laplace("means", noise.Open("means"), privacy.Exact(1))
	_, err = means.Add(&path, 0.5, 41.5)
	fmt.Println("floating point is refused:", errors.Is(err, privacy.ErrInexact))
	// Output:
	// whole numbers: <nil>
	// floating point is refused: true
}
