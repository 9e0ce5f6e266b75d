// Runs the unit tests of a package, which cargo has built as a WebAssembly module: its function `main`, without arguments.
// The module has no imports, so it prints nothing. A test that fails ends in a trap.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const { instance } = await WebAssembly.instantiate(readFileSync(resolve(process.argv[2])), {});
const status = instance.exports.main(0, 0);
console.log(`unit tests: ${status === 0 ? "passed" : "FAILED"}`);
process.exitCode = status === 0 ? 0 : 1;
