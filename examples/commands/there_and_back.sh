#!/bin/sh
# Compresses files with the gzip level of the first argument and prints them again: there_and_back.sh -9 FILE...
# What comes out is what went in, whatever the level, so that one digest holds every arm to its work. A pipe reports the
# status of its last program only: were the first to fail, the output would be cut short and its digest another.
set -eu
level=$1
shift
gzip -c "$level" -- "$@" | gzip -d
