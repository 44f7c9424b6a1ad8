// Package connect opens the store that a text names: the embedded engine, a kvserve, or a FoundationDB cluster.
package connect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/kvserve"
)

// Embedded names a new, empty engine in this process.
const Embedded = "embedded"

// patience is how long a connection may take.
const patience = 10 * time.Second

// FromEnvironment opens the store that PHASELOCK_CLUSTER names, else that of FDB_CLUSTER_FILE, else an engine in this process.
func FromEnvironment(ctx context.Context) (fdb.Database, error) {
	for _, name := range []string{"PHASELOCK_CLUSTER", "FDB_CLUSTER_FILE"} {
		if v := os.Getenv(name); v != "" {
			db, err := Open(ctx, v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return db, nil
		}
	}
	return embedded.New(embedded.Options{}), nil
}

// Open opens a store: Embedded, a cluster's text, which has an @, or the path of a cluster file, which holds one.
func Open(ctx context.Context, cluster string) (fdb.Database, error) {
	if cluster == Embedded {
		return embedded.New(embedded.Options{}), nil
	}
	file := ""
	if !strings.Contains(cluster, "@") {
		text, err := os.ReadFile(cluster)
		if err != nil {
			return nil, fmt.Errorf("cluster file: %w", err)
		}
		file, cluster = cluster, string(text)
	}
	c, err := Parse(cluster)
	if err != nil {
		if file != "" {
			err = fmt.Errorf("cluster file %s: %w", file, err)
		}
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if c.Description == kvserveName {
		if len(c.Addresses) != 1 {
			return nil, fmt.Errorf("%s: a kvserve has one address, %d are named", c, len(c.Addresses))
		}
		return kvserve.Dial(ctx, c.ID, c.Addresses[0])
	}
	return openFoundationDB(ctx, c, file)
}

// kvserveName is the description of a cluster that is a kvserve; its ID is the transport.
const kvserveName = "kvserve"

// Cluster is the text of a cluster file: description:ID@host:port,…, as FoundationDB has it.
type Cluster struct {
	Description, ID string
	Addresses       []string
}

// String is the text.
func (c Cluster) String() string {
	return c.Description + ":" + c.ID + "@" + strings.Join(c.Addresses, ",")
}

// Parse reads the text of a cluster file, in which lines that begin with # are comments.
func Parse(text string) (Cluster, error) {
	var line string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
		case line != "":
			return Cluster{}, errors.New("it has two lines that are no comment; want one, description:ID@host:port")
		default:
			line = l
		}
	}
	name, addresses, ok := strings.Cut(line, "@")
	description, id, ok2 := strings.Cut(name, ":")
	if !ok || !ok2 || !isWord(description) || !isWord(id) {
		return Cluster{}, fmt.Errorf("%q is no cluster: want description:ID@host:port, with letters, digits and underscores before the @", line)
	}
	c := Cluster{Description: description, ID: id}
	for a := range strings.SplitSeq(addresses, ",") {
		host, port, err := net.SplitHostPort(strings.TrimSuffix(strings.TrimSpace(a), ":tls"))
		if err != nil || host == "" || port == "" {
			return Cluster{}, fmt.Errorf("%q is no address of a cluster: want host:port", a)
		}
		c.Addresses = append(c.Addresses, strings.TrimSpace(a))
	}
	return c, nil
}

func isWord(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
