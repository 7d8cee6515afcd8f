"use strict";
// One way to measure a dispatch: see ../../measure for the Rust one.

const TEXT = "the weather in Geneva, yesterday";
const REPLACEMENT = "the weather in Zurich, as of now";
const COUNTS = [0, 1, 8, 32];
const PASSES = 5;
// A result that nobody looks at might not be computed.
let sink;

const halves = [TEXT, REPLACEMENT].map((text) => [text.slice(0, 16), text.slice(16)]);

let turn = 0;

/**
 * The body of every hook that writes: the other of the two texts, as a string of its own. It does not look at the text that
 * was there: this engine joins strings only when somebody looks.
 */
const other = () => {
  turn ^= 1;
  const [begin, end] = halves[turn];
  return begin + end;
};

class Sitting {
  constructor(peer, version) {
    this.line = { peer, role: "peer", version, isolates: false, chosen_at_run_time: true };
    this.cases = [];
  }

  call(label, call) {
    this.cases.push({ label: { class: "sync", ...label }, batch: async (count) => {
      const start = process.hrtime.bigint();
      for (let i = 0; i < count; i++) sink = call();
      return Number(process.hrtime.bigint() - start);
    } });
  }

  awaited(label, call) {
    this.cases.push({ label: { class: "async", ...label }, batch: async (count) => {
      const start = process.hrtime.bigint();
      for (let i = 0; i < count; i++) sink = await call();
      return Number(process.hrtime.bigint() - start);
    } });
  }

  async run() {
    const at = process.argv.indexOf("--ms");
    const each = ((at < 0 ? 10 : Number(process.argv[at + 1])) * 1e6) / PASSES;
    for (const each_case of this.cases) {
      let count = 1;
      while ((await each_case.batch(count)) < each) count *= 2;
      // Once more: the compiler may have done its work in between.
      while ((await each_case.batch(count)) < each) count *= 2;
      Object.assign(each_case, { count, nanos: [] });
    }
    for (let pass = 0; pass < PASSES; pass++) {
      for (const { batch, count, nanos } of this.cases) nanos.push((await batch(count)) / count);
    }
    for (const { label, nanos } of this.cases) {
      const ns = nanos.sort((a, b) => a - b)[PASSES >> 1];
      console.log(JSON.stringify({ ...this.line, ...label, ns, allocs: null, bytes: null }));
    }
  }
}

module.exports = { COUNTS, Sitting, TEXT, other };
