// Runs the conformance suite in a WebAssembly module and prints its lines: node run.mjs MODULE
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const { conformance, memory, report } = new WebAssembly.Instance(module).exports;
let failed = 1;
try {
    failed = conformance();
} finally {
    const place = report();
    const bytes = new Uint8Array(memory.buffer, Number(place & 0xffffffffn), Number(place >> 32n));
    process.stdout.write(new TextDecoder().decode(bytes));
}
process.exitCode = failed === 0 ? 0 : 1;
