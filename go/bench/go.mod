module keylane.example/go/bench

go 1.26.0

require (
	github.com/aead/siphash v1.0.1
	github.com/cockroachdb/swiss v0.0.0-20260820225851-333444432258
	github.com/dchest/siphash v1.2.3
	golang.org/x/crypto v0.58.0
	keylane.example/go v0.0.0
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace keylane.example/go => ../

tool golang.org/x/perf/cmd/benchstat
