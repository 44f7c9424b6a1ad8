package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/seal"
)

// verifyFolder says who vouches for a result folder.
func verifyFolder(c *cli.Context, dir string, allowed *seal.AllowedSigners) error {
	for _, name := range []string{"root", "script", "harness", "rebuild"} {
		if c.IsSet(name) {
			return usageError("--%s is for a seal; of a result folder, signatures are verified, and phaselock verify %s/seal looks at the rest", name, strings.TrimSuffix(dir, "/"))
		}
	}
	v, err := campaign.VerifyFolder(dir, allowed, c.String("identity"), time.Now())
	if err != nil {
		return err
	}
	if c.String("format") == "json" {
		err = writeJSON(c.App.Writer, v)
	} else {
		err = write(c.App.Writer, []byte(folderText(v)))
	}
	if err == nil && !v.Holds {
		err = codeError(campaign.ExitInvalid)
	}
	return err
}

func folderText(v *campaign.FolderVerification) string {
	var b strings.Builder
	switch {
	case v.Seal == "":
		b.WriteString("seal  unsealed\n")
	case v.By == nil:
		fmt.Fprintf(&b, "seal  %s, not signed\n", v.Seal)
	default:
		fmt.Fprintf(&b, "seal  %s, %s\n", v.Seal, signatureText(v.By))
	}
	fmt.Fprintf(&b, "head  %s, line %d of the ledger", v.Head, v.Lines)
	switch {
	case v.Below == nil:
		b.WriteString(", not signed\n")
	case v.Below.Holds && !v.Whole:
		fmt.Fprintf(&b, "; an earlier head is %s, and runs stand below it\n", signatureText(v.Below))
	default:
		fmt.Fprintf(&b, ", %s\n", signatureText(v.Below))
	}
	return b.String()
}
