package sample

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ClientAudit is the name of the audit lines in which a benchmark says what served its store:
//
//	{"audit": "client", "client": "embedded", "engine": "sqlite-vtab"}
const ClientAudit = "client"

// Double is the client that gives no numbers: the double of FoundationDB's C library, which proves that our glue links and behaves.
const Double = "double"

// Client is what served a process, by its own word.
type Client struct {
	Name  string
	Facts map[string][]string // by name, each value that a line gave, in order: a prefix may differ between repeats
}

// client reads the client's lines. A process whose lines name several clients, or the double, gives no numbers. Where the phase
// expects no audit, nobody has promised that the file can be read: what cannot be is passed over.
func (r *reader) client(before error) (*Client, error) {
	var c *Client
	var other string
	err := r.eachAudit(func(l auditLine) {
		if l.name != ClientAudit {
			return
		}
		name, _ := l.fields["client"].(string)
		if c == nil {
			c = &Client{Name: name, Facts: map[string][]string{}}
		}
		if name == "" || name != c.Name {
			other = fmt.Sprintf("%s:%d", r.files.Audit.Name, l.number)
		}
		for field, v := range l.fields {
			if field == "audit" || field == "client" {
				continue
			}
			if text := factText(v); !slices.Contains(c.Facts[field], text) {
				c.Facts[field] = append(c.Facts[field], text)
			}
		}
	})
	var failed *failure
	switch {
	case before != nil:
		return c, before
	case errors.As(err, &failed): // the expectations of audits have found it, if there are any
		return nil, nil
	case err != nil:
		return nil, err
	case other != "":
		return nil, r.fail(FailClient, "%s: want one client in all lines of a process, by its name", other)
	case c != nil && c.Name == Double:
		return c, r.fail(FailClient, "its client is the double of FoundationDB's library, whose numbers say nothing of FoundationDB: none is reported")
	}
	return c, nil
}

func factText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
