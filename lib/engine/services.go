package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/spawn"
)

// service is one that was started.
type service struct {
	declared *plan.Service
	name     string // of its folder
	end      context.CancelFunc
	ended    chan struct{} // closed when it has ended
	result   spawn.Result  // once ended
	err      error         // once ended: of the machine
}

// serviceError says why a service cannot be used. It ends the phase with the exit code of the machine.
type serviceError struct{ message string }

func (e *serviceError) Error() string { return e.message }

// startServices starts the services in order, each when the one before can be used. That one ended by itself is told to fail. The
// caller ends those that were started, also after an error.
func (e *execution) startServices(ctx context.Context, fail func(error)) error {
	for i := range e.phase.Services {
		s, err := e.startService(ctx, i)
		if s != nil {
			e.services = append(e.services, s)
		}
		if err != nil {
			return err
		}
	}
	for _, s := range e.services {
		e.watchers.Go(func() {
			<-s.ended
			fail(&serviceError{fmt.Sprintf("service %q ended by itself: %s", s.declared.Name, s.how(e.Resolver.Folder))})
		})
	}
	return nil
}

// startService starts one service and waits until it can be used.
func (e *execution) startService(ctx context.Context, i int) (*service, error) {
	d := &e.phase.Services[i]
	name, err := e.freshFolder("services", fmt.Sprintf("%02d", i+1))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(e.Resolver.Folder, filepath.FromSlash(name))
	if err := e.verifyProgram(&d.Program); err != nil {
		return nil, fmt.Errorf("service %q: %w", d.Name, err)
	}
	c, err := e.program(&d.Program, dir)
	if err != nil {
		return nil, fmt.Errorf("service %q: %w", d.Name, err)
	}
	if r := d.Ready; r != nil && accepts(r.Address) {
		return nil, &serviceError{fmt.Sprintf("service %q: %s accepts connections before the service has started: another program listens there; end it, or choose another port", d.Name, r.Address)}
	}
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o755); err != nil {
		return nil, err
	}
	pid := make(chan int, 1)
	var cpus []int
	c.Grace = time.Duration(d.Grace)
	c.OnStart = func(p int, read []int) { cpus = read; pid <- p }
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	s := &service{declared: d, name: name, end: end, ended: make(chan struct{})}
	begun := time.Now()
	go func() {
		defer close(s.ended)
		s.result, s.err = spawn.Run(life, c)
	}()
	event := &ledger.ServiceStarted{
		Service: d.Name, Output: name, Exec: c.Path, Argv: c.Argv, Env: environment(c.Env), Dir: c.Dir,
	}
	select {
	case event.PID = <-pid:
		event.CPUs = spawn.FormatCPUs(cpus)
	case <-s.ended:
		// It ended before it was seen to run, or it was never started.
	}
	err = s.ready(ctx, e.Resolver.Folder)
	event.ReadyNS = time.Since(begun).Nanoseconds()
	return s, errors.Join(err, e.Ledger.Append(event))
}

// ready waits until the service can be used.
func (s *service) ready(ctx context.Context, folder string) error {
	r := s.declared.Ready
	if r == nil {
		select {
		case <-s.ended:
			return &serviceError{fmt.Sprintf("service %q did not start: %s", s.declared.Name, s.how(folder))}
		default:
			return nil
		}
	}
	deadline := time.NewTimer(time.Duration(r.Timeout))
	defer deadline.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if accepts(r.Address) {
			return nil
		}
		select {
		case <-s.ended:
			return &serviceError{fmt.Sprintf("service %q ended before it could be used: %s", s.declared.Name, s.how(folder))}
		case <-deadline.C:
			return &serviceError{fmt.Sprintf("service %q: %s accepted no connection within %s%s", s.declared.Name, r.Address, r.Timeout, s.said(folder))}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// accepts reports whether an address accepts a connection.
func accepts(address string) bool {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// endServices asks the services to end, the last that was started first, each when the one after it has ended, and journals how
// they did.
func (e *execution) endServices() error {
	var errs []error
	for _, s := range slices.Backward(e.services) {
		asked := true
		select {
		case <-s.ended:
			asked = false
		default:
		}
		s.end()
		<-s.ended
		event, err := s.event(filepath.Join(e.Resolver.Folder, filepath.FromSlash(s.name)), asked)
		if err == nil {
			err = e.Ledger.Append(event)
		}
		errs = append(errs, s.err, err)
	}
	e.watchers.Wait()
	e.services = nil
	return errors.Join(errs...)
}

func (s *service) event(dir string, asked bool) (*ledger.ServiceEnded, error) {
	r := &s.result
	event := &ledger.ServiceEnded{
		Service: s.declared.Name, Asked: asked, WallNS: r.Wall.Nanoseconds(), UserNS: r.User.Nanoseconds(), SysNS: r.Sys.Nanoseconds(),
		Leftover: r.Leftover,
	}
	event.Exit, event.Signal, event.StartError = ending(r)
	if r.MaxRSSKnown {
		event.MaxRSSBytes = &r.MaxRSS
	}
	var err error
	event.Stdout, event.Stderr, err = streams(dir)
	return event, errors.Join(err, removeHome(filepath.Join(dir, "home")))
}

// how says how a service ended.
func (s *service) how(folder string) string {
	if s.err != nil {
		return s.err.Error()
	}
	return describe(&s.result) + s.said(folder)
}

// said is the last line of a service's standard error, "" where it wrote none.
func (s *service) said(folder string) string {
	return lastLine(filepath.Join(folder, filepath.FromSlash(s.name), "stderr"))
}

// describe says how a process ended.
func describe(r *spawn.Result) string {
	switch {
	case r.StartErr != nil:
		return r.StartErr.Error()
	case r.TimedOut:
		return "its deadline passed, and it was ended"
	case r.Signal != "":
		return "it was ended by " + r.Signal
	}
	return fmt.Sprintf("exit status %d", r.Exit)
}

// lastLine returns "; it said: …" with the last line of a file, "" where there is none.
func lastLine(path string) string {
	const most = 4096
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	text := make([]byte, min(most, info.Size()))
	n, _ := f.ReadAt(text, info.Size()-int64(len(text)))
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(text[:n]), "�")), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return "; it said: " + last
	}
	return ""
}
