# Every target does its own set-up: a fresh Debian machine with Go and Node is enough.
SHELL := /bin/bash
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
TOOLS := .tools
export PATH := $(CURDIR)/web/node_modules/node/bin:$(PATH)
# For tests and vet as for the programs, so that all of them share what was compiled. The linker strips debug information, which takes
# an eighth of a compiler's time to write; stack traces do not need it.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath -gcflags=all=-dwarf=false)
# Programs that need no C library run on machines of any age. Only the race detector wants cgo.
export CGO_ENABLED := 0

# Where there is memory, compilers, linters and tests collect their garbage less often: it saves a sixth of what compilers take and a
# fifth of what linters do.
ifneq ($(shell awk '/^MemAvailable/ && $$2 > 12000000' /proc/meminfo 2>/dev/null),)
lint unit-server unit-agent tools server agent agents: export GOGC ?= 400
endif

.PHONY: run build web server agent agents test lint tidy-check unit web-test size e2e stress bench gen gen-check setup tools clean

## run: build everything, fill an empty ./data with the demo, start the server and one node
run: build
	scripts/run.sh

## build: bin/airstrip with the web app inside, bin/airstrip-node
build: server agent

server: web internal/geo/data/country.mmdb
	go build -ldflags "-s -w -X airstrip/internal/cli.version=$(VERSION)" -o bin/airstrip .

# The workspace would raise dependencies above what its proxy core pins.
agent:
	GOWORK=off go build -C agent -ldflags "-s -w -X main.version=$(VERSION)" -o ../bin/airstrip-node .

AGENTS := bin/airstrip-node-linux-amd64 bin/airstrip-node-linux-arm64
.PHONY: $(AGENTS)

## agents: the same for nodes of both architectures, which the server gives away
agents: $(AGENTS)

$(AGENTS): bin/airstrip-node-linux-%:
	GOOS=linux GOARCH=$* GOWORK=off go build -C agent -ldflags "-s -w -X main.version=$(VERSION)" -o ../$@ .

web: web/node_modules/.installed
	npm --prefix web run build

web/node_modules/.installed: web/package.json web/package-lock.json
	npm --prefix web ci --no-audit --no-fund
	touch $@

# The areas of addresses; the program can be built without it and then knows none.
internal/geo/data/country.mmdb: web/node_modules/.installed
	cp web/node_modules/@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb $@

e2e/node_modules/.installed: e2e/package.json e2e/package-lock.json web/node_modules/.installed
	npm --prefix e2e ci --no-audit --no-fund
	touch $@

## test: everything that CI checks
test: setup
	$(ABREAST) lint unit-server unit-agent
	$(MAKE) web-test gen-check build size e2e

# What compiles beside what waits for disks, databases and proxies: one after the other they leave half of the processors idle.
# The tests of the web app are not among them: they need both processors, and take six times as long beside a compiler.
ABREAST := $(MAKE) --jobs=2 --output-sync=target

## setup: Debian packages and tools that the tests need
setup:
	scripts/setup.sh

tools: $(TOOLS)/lint $(TOOLS)/sing-box-1.14.1 $(TOOLS)/sing-box-1.11.15 $(TOOLS)/mihomo $(TOOLS)/xray

$(TOOLS)/lint: tools/go.mod tools/lint/main.go
	mkdir -p $(TOOLS)
	cd tools && GOWORK=off go build -o ../$(TOOLS)/ ./lint mvdan.cc/gofumpt
	touch $@

# A sing-box without its version stamp does not enforce the deprecations that its users meet.
$(TOOLS)/sing-box-%: e2e/singbox/1.11/go.mod e2e/singbox/1.14/go.mod
	mkdir -p $(TOOLS)
	GOWORK=off go build -C e2e/singbox/$(basename $*) -tags with_utls,with_quic,with_gvisor,with_clash_api \
		-ldflags "-s -w -checklinkname=0 -X github.com/sagernet/sing-box/constant.Version=$*" \
		-o $(CURDIR)/$@ github.com/sagernet/sing-box/cmd/sing-box
	touch $@

$(TOOLS)/mihomo: e2e/mihomo/go.mod
	mkdir -p $(TOOLS)
	GOWORK=off go build -C e2e/mihomo -tags with_gvisor -ldflags "-s -w" -o $(CURDIR)/$@ github.com/metacubex/mihomo
	touch $@

# The client of the version that the agent has its core from, of which most is built with the agent.
$(TOOLS)/xray: agent/go.mod
	mkdir -p $(TOOLS)
	GOWORK=off go build -C agent -ldflags "-s -w" -o $(CURDIR)/$@ github.com/xtls/xray-core/main
	touch $@

# The engine of today's ClickHouse as a library, 550 MB: tests of statements run on it where it is installed.
.PHONY: chdb
chdb: $(TOOLS)/chdb/node_modules/chdb/package.json

$(TOOLS)/chdb/node_modules/chdb/package.json:
	npm install --prefix $(TOOLS)/chdb --no-audit --no-fund --ignore-scripts chdb@3.4.0

# Grafana Loki, 150 MB and minutes to build: the export is tested on it where it is installed. Its module names a folder that is a
# module of its own.
.PHONY: loki
loki: $(TOOLS)/loki/loki

MODULE_DIR = $$(go mod download -json $(1) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')

$(TOOLS)/loki/loki:
	rm -rf $(TOOLS)/loki && mkdir -p $(TOOLS)/loki
	cp -r "$(call MODULE_DIR,github.com/grafana/loki/v3@v3.7.8)" $(TOOLS)/loki/src
	chmod -R u+w $(TOOLS)/loki/src
	cp -r "$(call MODULE_DIR,github.com/grafana/loki/pkg/push@v0.0.0-20250630054201-94c0ba7b0952)" $(TOOLS)/loki/src/pkg/push
	cd $(TOOLS)/loki/src && GOWORK=off CGO_ENABLED=0 go build -mod=mod -trimpath -ldflags "-s -w" -o ../loki ./cmd/loki
	chmod -R u+w $(TOOLS)/loki/src && rm -rf $(TOOLS)/loki/src

# Without the module of sing-box 1.14: tidying it would fetch what its other build tags need.
MODULES := . agent tools e2e/mihomo e2e/singbox/1.11

## tidy-check: go.mod and go.sum of each module list what it needs and nothing else
tidy-check:
	@for module in $(MODULES); do \
		(cd $$module && GOWORK=off go mod tidy -diff) || { echo "run go mod tidy in $$module"; exit 1; }; done

## lint: formatting, modules, the checks of vet and staticcheck
lint: tools tidy-check
	@test -z "$$($(TOOLS)/gofumpt -l $$(git ls-files '*.go'))" || { echo "not formatted:"; $(TOOLS)/gofumpt -l $$(git ls-files '*.go'); exit 1; }
	$(TOOLS)/lint ./...
	cd agent && GOWORK=off ../$(TOOLS)/lint ./...
	cd tools && GOWORK=off ../$(TOOLS)/lint ./...

# The race detector leaves out SQLite with its C library, which is C made into Go, and the hash of passwords: they are most of the
# tests' time under it. Only packages that share no generic type of package sync with others may be left out: its copies are shared
# by the program.
UNWATCHED := modernc.org/sqlite/lib modernc.org/libc modernc.org/memory golang.org/x/crypto/argon2
# Test binaries have no debug information, which stack traces do not need, and unsafe pointers of libraries are not checked; only the
# agent's meter has some of ours. Nothing is inlined into the operations of the API, each of which has huma's generic code. All of it
# saves a quarter of the time to compile and a tenth of the tests'.
TESTING := -dwarf=false -d=checkptr=0
RACE := -race -gcflags=all='$(TESTING)' -gcflags='airstrip/internal/api/v2/...=$(TESTING) -l' \
	$(foreach package,$(UNWATCHED),-gcflags='$(package)=$(TESTING) -race=false')

# A program with the race detector waits a second before it ends, also each command that a test runs.
export GORACE := atexit_sleep_ms=0

# What go test would have vet look at, lint has; with the race detector it would be done a second time, dependencies too.
UNIT := -vet=off -timeout 60m

## unit: the Go tests of both modules on both databases, race detector on
unit:
	$(ABREAST) unit-server unit-agent

# The files of tests are in memory where there are 4 GB and programs may be started from it, as in Docker they may not: a disk that
# stores what a compiler has written makes each transaction wait.
IN_MEMORY := $(shell test "$$(df --output=avail /dev/shm 2>/dev/null | tail -1)" -ge 4194304 2>/dev/null && \
	! grep -q '^[^ ]* /dev/shm [^ ]* [^ ]*noexec' /proc/mounts && echo "TMPDIR=/dev/shm GOTMPDIR=$${TMPDIR:-/tmp}")

.PHONY: unit-server unit-agent
unit-server: tools
	$(IN_MEMORY) CGO_ENABLED=1 go test $(RACE) $(UNIT) ./...

# The two packages that embed the proxy cores, xray and sing, run without the race detector, and so do the tests of the agent that
# go through every protocol of the cores: the cores have data races of their own (the users of Shadowsocks 2022, Vision, the client
# of XHTTP, streams of AnyTLS), and the detector would report nothing else.
AGENT_RACE := -race -gcflags=all='$(TESTING)' -gcflags=airstrip/agent/internal/meter=-dwarf=false
CORES := ./internal/engine/xray ./internal/engine/sing

unit-agent: tools
	cd agent && export GOWORK=off && packages=$$(go list ./... | grep -vE '/engine/(xray|sing)$$') && \
		$(IN_MEMORY) CGO_ENABLED=1 go test $(AGENT_RACE) $(UNIT) -skip EveryProtocol $$packages
	cd agent && GOWORK=off go test $(UNIT) $(CORES)
	cd agent && GOWORK=off go test $(UNIT) -run EveryProtocol ./internal/run

web-test: web/node_modules/.installed
	npm --prefix web run check
	npm --prefix web test

## size: the budgets of the built pages
size: web
	npm --prefix web run size

## gen: the contract from the code, the TypeScript client from the contract
gen: web/node_modules/.installed
	go run . openapi > openapi.json.new && mv openapi.json.new openapi.json
	npm --prefix web run gen

GENERATED := openapi.json ':(glob)web/src/**/gen/**' ':(glob)web/src/**/*.gen.ts'

## gen-check: all that is generated is committed as it is generated now; building the web app writes the route trees
gen-check: gen web
	git diff --exit-code -- $(GENERATED)
	@new=$$(git ls-files --others --exclude-standard -- $(GENERATED)); \
		test -z "$$new" || { echo "not committed:"; echo "$$new"; exit 1; }

## e2e: a real browser and real proxy clients against the real binaries
e2e: e2e/node_modules/.installed tools
	npm --prefix e2e test

## stress: crowds, storms of notifies, races, killed servers, faults at random and the search for money from nothing at their full size; takes hours
stress: setup build e2e/node_modules/.installed tools chdb
	go test ./internal/app -run 'Crowd|Storm|Variant|Attack|AtOnce|Killed|FaultsAtRandom' -full -count=1 -timeout 60m -v
	go test ./internal/api/v2 -run 'NoInput|Tokens_Forged' -full -count=1 -timeout 60m -v
	go test ./internal/trafficlog -run Killed -kills 200 -count=1 -timeout 60m -v
	go test ./internal/clickhouse ./internal/app -run ACurrentEngine -count=1 -v
	go test ./internal/clickhouse -run Import_Killed -imports 50 -count=1 -timeout 60m -v
	go test ./internal/payment -run TestAnySequence -rapid.checks 1000 -count=1 -timeout 2h -v
	go test ./internal/invite -run AnySequence -seeds 1000 -count=1 -timeout 2h
	go test ./internal/shop -run TestNoSequence -rapid.checks 500 -count=1 -timeout 2h -v
	go test ./internal/traffic -run 'Counters|Lease|Allowance' -rapid.checks 500 -count=1 -timeout 2h -v
	go test ./internal/app -run 'TestMoney|TestLocks' -full -count=1 -timeout 6h -v
	cd agent && GOWORK=off go test ./internal/run ./internal/engine/sing -run 'Killed|Downloads|Cut' -full -count=1 -timeout 60m -v
	AIRSTRIP_FULL=1 npm --prefix e2e test -- accounting accessibility first-visit

## bench: throughput, latency and memory, with a bare net/http answer as the unit
bench: build
	go run ./bench
	go test ./internal/clickhouse -run XXX -bench Import -benchtime 3x

clean:
	rm -rf bin web/dist/assets web/dist/index.html
