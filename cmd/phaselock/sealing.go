package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/seal"
)

// sealing is what a run is held to, and what signs it.
type sealing struct {
	sealed *campaign.Sealed // nil: unsealed
	key    *seal.Key        // nil: unsigned
}

// sealingOf reads --sealed and --sign, before anything takes time.
func sealingOf(c *cli.Context) (*sealing, error) {
	if c.IsSet("anchor") && !c.IsSet("sealed") {
		return nil, usageError("--anchor says where a seal was published: name the seal with --sealed FILE")
	}
	key, err := signingKey(c)
	if err != nil {
		return nil, err
	}
	s := &sealing{key: key}
	if c.IsSet("sealed") {
		s.sealed, err = campaign.ReadSealed(c.String("sealed"))
	}
	return s, err
}

// hold holds several phases to their seal before the first of them runs; the only one is held to it as it is pinned.
func (s *sealing) hold(c *cli.Context, ev *evaluated) error {
	if s.sealed == nil || len(ev.phases) == 1 && !s.sealed.Several() {
		return nil
	}
	line := newProgress(c)
	err := s.sealed.Hold(c.Context, ev.phases, campaign.Options{
		Tool: toolLine(), Say: func(format string, args ...any) { fmt.Fprintf(line.w, format+"\n", args...) },
	})
	return ev.diagnose(err)
}
