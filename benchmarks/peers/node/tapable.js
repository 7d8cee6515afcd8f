"use strict";
// tapable: hooks with taps, plain and awaited.

const { AsyncSeriesWaterfallHook, SyncHook, SyncWaterfallHook } = require("tapable");
const { COUNTS, Sitting, TEXT, other } = require("./measure");

const sitting = new Sitting("tapable", require("tapable/package.json").version);
// A body of its own for each tap, so that the engine cannot make one of all; and each tells a cell outside that it ran, in
// the place of a `black_box`, or the engine finds out that nothing happens and leaves the hooks out.
const cell = new Int32Array(1);
const body = (source) => new Function("other", "cell", `return ${source}`)(other, cell);
const SEEN = "(call) => { cell[0] += call.name.length; }";
const PASS = "(call) => { cell[0] += call.name.length; return call; }";
const WRITE = "(call) => { cell[0] += call.name.length; call.query = other(call.query); return call; }";

for (const n of COUNTS) {
  const tapped = (hook, source) => {
    for (let i = 0; i < n; i++) hook.tap(`tap_${i}`, body(source));
    return hook;
  };
  const promised = (hook, source) => {
    for (let i = 0; i < n; i++) hook.tapPromise(`tap_${i}`, body(source));
    return hook;
  };
  const call = { name: "lookup", query: TEXT };

  const plain = tapped(new SyncHook(["call"]), SEEN);
  sitting.call({ body: "pass", variant: "SyncHook", n }, () => plain.call(call));
  const fall = tapped(new SyncWaterfallHook(["call"]), PASS);
  sitting.call({ body: "pass", variant: "SyncWaterfallHook", n }, () => fall.call(call));
  const write = tapped(new SyncWaterfallHook(["call"]), WRITE);
  sitting.call({ body: "write", variant: "SyncWaterfallHook", n }, () => write.call(call));

  const series = promised(new AsyncSeriesWaterfallHook(["call"]), `async ${PASS}`);
  sitting.awaited({ body: "pass", variant: "AsyncSeriesWaterfallHook", n }, () => series.promise(call));
  const rewrite = promised(new AsyncSeriesWaterfallHook(["call"]), `async ${WRITE}`);
  sitting.awaited({ body: "write", variant: "AsyncSeriesWaterfallHook", n }, () => rewrite.promise(call));
}
sitting.run();
