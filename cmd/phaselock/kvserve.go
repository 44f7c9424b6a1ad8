package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/fdb/connect"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/kvserve"
	"github.com/phaselock/phaselock/lib/campaign"
)

// shutdownPatience is how long what is under way may take once the server is told to stop.
const shutdownPatience = 10 * time.Second

func kvserveCommand() *cli.Command {
	return command(&cli.Command{
		Name:  "kvserve",
		Usage: "serve the embedded key-value engine to benchmarks, in a process of its own",
		Description: `A store with the semantics of FoundationDB in memory, without replication: clients and layers can be measured against it with client and
server on CPUs of their own. What is measured is that client and this server, never FoundationDB; every record says so. It serves until
SIGTERM or Ctrl-C, answers what is under way, and prints what it has served.

   phaselock kvserve --listen 127.0.0.1:4600
   phaselock kvserve --listen 127.0.0.1:4600 --frame 127.0.0.1:4601 --latency 1ms

A client names it by a cluster's text, in PHASELOCK_CLUSTER or in a cluster file: kvserve:grpc@127.0.0.1:4600, or kvserve:frame@… .`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Usage: "serve gRPC on `ADDRESS`; --listen 127.0.0.1:4600"},
			&cli.StringFlag{Name: "frame", Usage: "serve plain frames on `ADDRESS`; --frame 127.0.0.1:4601"},
			&cli.DurationFlag{Name: "latency", Usage: "make each request wait for `TIME` before it is served, for experiments; --latency 1ms"},
			&cli.StringSliceFlag{Name: "split", Usage: "start a shard at the `KEY`, in hexadecimal; --split 152a"},
			&cli.StringSliceFlag{Name: "team", Usage: "put a shard on these `SERVERS`, host:port with + between them; the shards take the teams in turn; --team 10.0.0.1:4500+10.0.0.2:4500"},
			&cli.StringFlag{Name: "cluster-file", Usage: "write the cluster's text to `FILE` once it listens; --cluster-file kv.cluster"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usageError("argument %q: kvserve has flags only", c.Args().First())
			}
			if c.String("listen") == "" && c.String("frame") == "" {
				return usageError("phaselock kvserve: say where to listen, with --listen or --frame ADDRESS")
			}
			if c.Duration("latency") < 0 {
				return usageError("--latency %v: it is not negative", c.Duration("latency"))
			}
			o, err := shards(c)
			if err != nil {
				return err
			}
			return serveStore(c, o)
		},
	})
}

func shards(c *cli.Context) (embedded.Options, error) {
	var o embedded.Options
	for _, s := range c.StringSlice("split") {
		key, err := hex.DecodeString(s)
		if err != nil {
			return o, usageError("--split %q: %w", s, err)
		}
		o.Splits = append(o.Splits, key)
	}
	for _, s := range c.StringSlice("team") {
		team := strings.Split(s, "+")
		for _, server := range team {
			if host, port, err := net.SplitHostPort(server); err != nil || host == "" || port == "" {
				return o, usageError("--team %q: want host:port, with + between servers", s)
			}
		}
		o.Teams = append(o.Teams, team)
	}
	return o, nil
}

// serveStore serves until it is told to stop.
func serveStore(c *cli.Context, o embedded.Options) error {
	engine := embedded.New(o)
	defer engine.Close()
	s := kvserve.NewServer(engine, c.Duration("latency"))
	var named string
	err := func() error {
		for _, t := range []struct {
			flag, transport string
			serve           func(net.Listener)
		}{{"listen", kvserve.GRPC, s.ServeGRPC}, {"frame", kvserve.Frame, s.ServeFrame}} {
			if c.String(t.flag) == "" {
				continue
			}
			l, err := net.Listen("tcp", c.String(t.flag))
			if err != nil {
				return fmt.Errorf("--%s: %w", t.flag, err)
			}
			t.serve(l)
			text := connect.Cluster{Description: "kvserve", ID: t.transport, Addresses: []string{l.Addr().String()}}.String()
			fmt.Fprintln(c.App.Writer, text)
			if named == "" {
				named = text
			}
		}
		if file := c.String("cluster-file"); file != "" {
			return os.WriteFile(file, []byte(named+"\n"), 0o644)
		}
		return nil
	}()
	if err == nil {
		<-c.Context.Done()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context), shutdownPatience)
	defer cancel()
	if serr := s.Shutdown(ctx); err == nil && serr != nil {
		err = fmt.Errorf("requests were under way for longer than %v and were cut: %w", shutdownPatience, serr)
	}
	if err != nil {
		return &campaign.Error{Code: campaign.ExitMachine, Err: err}
	}
	counters, err := json.Marshal(s.Counters())
	if err != nil {
		return err
	}
	return write(c.App.Writer, append(counters, '\n'))
}
