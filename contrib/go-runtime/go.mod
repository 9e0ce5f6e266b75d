module keylane.example/contrib/go-runtime

go 1.26.0

require keylane.example/go v0.0.0

require golang.org/x/sys v0.49.0 // indirect

replace keylane.example/go => ../../go
