package partition

import "context"

// Poll looks at a context from time to time, since a look costs more than handling a row does.
type Poll struct {
	ctx  context.Context
	work int // since the last look
}

// NewPoll is for a context that has just been looked at.
func NewPoll(ctx context.Context) Poll { return Poll{ctx: ctx} }

// pollEvery is how much work is done between two looks: less than a millisecond's.
const pollEvery = 1 << 16

// After counts work that is done or about to be, in rows or what takes about as long. It returns
// the context's error if that has ended and this was the time to look.
func (p *Poll) After(work int) error {
	if p.work += work; p.work < pollEvery {
		return nil
	}
	p.work = 0
	return p.ctx.Err()
}
