package protocol

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// CheckSSH returns what is wrong with a destination as ssh takes it; "" where nothing is. One that starts with a
// hyphen would be an option of ssh.
func CheckSSH(destination string) string {
	if destination == "" || strings.HasPrefix(destination, "-") || strings.ContainsFunc(destination, blank) {
		return fmt.Sprintf("want a destination, \"root@10.0.0.2\", got %q", destination)
	}
	return ""
}

func blank(r rune) bool { return r <= ' ' || r == 0x7f }

// CheckAddress returns what is wrong with a host:port; "" where nothing is. An IPv6 host stands in brackets.
func CheckAddress(address string) string {
	i := strings.LastIndexByte(address, ':')
	host, port := address[:max(i, 0)], address[i+1:]
	inner, bracketed := strings.CutPrefix(host, "[")
	if bracketed {
		var closed bool
		inner, closed = strings.CutSuffix(inner, "]")
		ip, err := netip.ParseAddr(inner)
		bracketed = closed && err == nil && ip.Is6()
	}
	good := bracketed || host != "" && !strings.ContainsAny(host, "[]:/") && !strings.ContainsFunc(host, blank)
	if n, err := strconv.ParseUint(port, 10, 16); i < 0 || err != nil || n == 0 || !good {
		return fmt.Sprintf("want host:port, \"10.0.0.1:4500\", got %q", address)
	}
	return ""
}

// CheckPrefix returns what is wrong with an address of an interface; "" where nothing is.
func CheckPrefix(address string) string {
	p, err := netip.ParsePrefix(address)
	switch {
	case err != nil || p.Bits() == 0:
		return fmt.Sprintf("want an address with the length of its prefix, \"10.0.0.2/24\", got %q", address)
	case p.Addr().IsUnspecified() || p.Addr().IsMulticast():
		return fmt.Sprintf("%q is no address of an interface", address)
	}
	return ""
}
