module keylane.example/go/bench

go 1.26.0

require (
	github.com/aead/siphash v1.0.1
	github.com/dchest/siphash v1.2.3
	golang.org/x/crypto v0.58.0
	keylane.example/go v0.0.0
)

require golang.org/x/sys v0.49.0 // indirect

replace keylane.example/go => ../
