# make test installs what the tests need beyond Go (as root, with apt, when something is missing) and runs everything.

GO ?= go
PACKAGES := strace python3 git gzip g++
COMMANDS := strace python3 git gzip g++

.PHONY: all build test tools vet lint cross race bench test-fdb

all: build

build:
	$(GO) build -o bin/phaselock ./cmd/phaselock

test: tools vet lint cross
	$(GO) test -timeout 40m -p 1 ./... # one package at a time: some tests measure, and two would share the CPUs

# Each command that a test needs is one capability; a test that misses its own says so and is left out, except with CI=true.
tools:
	@missing=; for c in $(COMMANDS); do command -v $$c >/dev/null 2>&1 || missing="$$missing $$c"; done; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "installing what the tests need:$$missing"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(PACKAGES) >/dev/null; \
	elif [ -n "$$missing" ]; then echo "not here, so that their tests are left out:$$missing"; fi

vet:
	$(GO) vet ./...

lint:
	@out=$$($(GO) tool gofumpt -l cmd fdb lib starlark workloads); if [ -n "$$out" ]; then echo "not formatted (go tool gofumpt -w FILE):"; echo "$$out"; exit 1; fi
	$(GO) tool staticcheck ./...

# The tree builds without cgo, and where processes cannot be pinned.
cross:
	CGO_ENABLED=0 $(GO) build ./...
	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 $(GO) build ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) build ./...

# The conformance suite on a FoundationDB cluster, below a prefix of its own: make test-fdb FDB_CLUSTER_FILE=/etc/foundationdb/fdb.cluster
# It wants FoundationDB's client package, and clears no user key.
test-fdb:
	@test -n "$(FDB_CLUSTER_FILE)" || { echo "say which cluster: make test-fdb FDB_CLUSTER_FILE=/etc/foundationdb/fdb.cluster"; exit 2; }
	CGO_ENABLED=1 FDB_CLUSTER_FILE=$(FDB_CLUSTER_FILE) $(GO) test -tags fdb -count=1 -v ./fdb/apple

race:
	$(GO) test -race ./lib/... ./starlark/... ./fdb/...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...
