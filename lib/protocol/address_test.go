package protocol_test

import (
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/protocol"
)

func TestCheckAddress(t *testing.T) {
	for _, good := range []string{"10.0.0.1:4500", "localhost:1", "[::1]:65535", "[fe80::1:2]:80", "db.example:443"} {
		if message := protocol.CheckAddress(good); message != "" {
			t.Errorf("%s: %s", good, message)
		}
	}
	for _, bad := range []string{"", ":80", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:-1", "::1:80", "[::1:80", "[]:80", "[x]:80", "a b:80", "http://a:80"} {
		if message := protocol.CheckAddress(bad); !strings.Contains(message, "want host:port") {
			t.Errorf("%s: %q", bad, message)
		}
	}
}

func TestCheckSSH(t *testing.T) {
	for destination, good := range map[string]bool{"root@10.0.0.2": true, "client": true, "": false, "-oProxyCommand=x": false, "a b": false} {
		if got := protocol.CheckSSH(destination) == ""; got != good {
			t.Errorf("%q: %v", destination, got)
		}
	}
}

func TestCheckPrefix(t *testing.T) {
	for address, want := range map[string]string{
		"10.0.0.2/24": "", "fd00::2/64": "", "1.2.3.4/32": "",
		"10.0.0.2": "length of its prefix", "10.0.0.2/33": "length of its prefix", "10.0.0.2/0": "length of its prefix",
		"10.0.0.02/8": "length of its prefix", "": "length of its prefix", "fe80::1%eth0/64": "length of its prefix",
		"0.0.0.0/8": "is no address of an interface", "ff02::1/64": "is no address of an interface",
	} {
		if got := protocol.CheckPrefix(address); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
