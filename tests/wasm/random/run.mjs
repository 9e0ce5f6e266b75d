// Prints what the random keys of this process decide: node run.mjs MODULE [none]
// With "none" the host has no random bytes, and the module must end.
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const host = {
    random(place, length) {
        if (process.argv[3] === "none") return 1;
        crypto.getRandomValues(new Uint8Array(memory.buffer, place, length));
        return 0;
    },
};
const { map, memory, random_state } = new WebAssembly.Instance(module, { host }).exports;
console.log([random_state(), random_state(), map(), map()].join("\n"));
