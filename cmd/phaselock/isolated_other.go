//go:build !linux

package main

import (
	"errors"
	"os"
	"syscall"
)

func limitSelf() error { return errors.New("needs Linux") }

func diesWithParent() *syscall.SysProcAttr { return nil }

func peakMemory(*os.ProcessState) int64 { return 0 }
