// What node-redis gets from a server, a line a call. The test compares the lines
// with those that Redis gives.
//
//   node node-redis.cjs PORT RESP
"use strict";
const { createClient, createClientPool } = require("redis");
const [port, RESP] = process.argv.slice(2).map(Number);
const options = { RESP, socket: { port, host: "127.0.0.1", reconnectStrategy: false } };
const connect = () => createClient(options).on("error", (err) => console.error(err)).connect();

const plain = (_, v) => {
  if (v instanceof Set) return [...v];
  if (v instanceof Map) return Object.fromEntries(v);
  if (v && v.type === "Buffer") return Buffer.from(v.data).toString("hex");
  return v === Infinity ? "inf" : v;
};
const show = (name, value) => console.log(name, JSON.stringify(value, plain));
const attempt = async (name, promise) => {
  try {
    show(name, await promise);
  } catch (err) {
    show(name + " fails", [err.message, (err.replies || []).map(String)]);
  }
};
const collect = async (pages) => {
  const all = [];
  for await (const page of pages) all.push(...page.map((v) => JSON.stringify(v)));
  return [...new Set(all)].sort();
};

async function values(c) {
  await attempt("set", c.set("s", "v", { EX: 1000, NX: true }));
  await attempt("set nx", c.set("s", "w", { NX: true }));
  await attempt("get", c.get("s"));
  await attempt("mSet", c.mSet({ a: "1", b: "2" }));
  await attempt("mGet", c.mGet(["a", "none", "b"]));
  await attempt("incrByFloat", c.incrByFloat("a", 0.5));
  await attempt("incr", c.incr("s"));
  await attempt("hSet", c.hSet("h", { x: 1, y: "two" }));
  await attempt("hGetAll", c.hGetAll("h"));
  await attempt("hGetAll none", c.hGetAll("none"));
  await attempt("hmGet", c.hmGet("h", ["x", "none"]));
  await attempt("hIncrBy", c.hIncrBy("h", "y", 1));
  await attempt("sAdd", c.sAdd("set", ["3", "1", "2"]));
  await attempt("sMembers", c.sMembers("set"));
  await attempt("smIsMember", c.smIsMember("set", ["1", "9"]));
  await attempt("rPush", c.rPush("l", ["a", "b", "c"]));
  await attempt("lRange", c.lRange("l", 0, -1));
  await attempt("lPos", c.lPos("l", "b"));
  await attempt("lmPop", c.lmPop("l", "LEFT", { COUNT: 2 }));
  await attempt("setBit", c.setBit("bits", 9, 1));
  await attempt("bitCount", c.bitCount("bits"));
  await attempt("bitField", c.bitField("bits", [{ operation: "GET", encoding: "u8", offset: 4 }]));
  await attempt("zAdd", c.zAdd("z", [{ score: 1, value: "a" }, { score: 2.5, value: "b" }, { score: Infinity, value: "c" }]));
  await attempt("zRangeWithScores", c.zRangeWithScores("z", 0, -1));
  await attempt("zScore", c.zScore("z", "b"));
  await attempt("zScore none", c.zScore("z", "none"));
  await attempt("zmScore", c.zmScore("z", ["a", "none"]));
  await attempt("zPopMin", c.zPopMin("z"));
  await attempt("pfAdd", c.pfAdd("p", ["1", "2", "3"]));
  await attempt("pfCount", c.pfCount("p"));
  await attempt("geoAdd", c.geoAdd("g", [{ longitude: 13.361389, latitude: 38.115556, member: "Palermo" }, { longitude: 15.087269, latitude: 37.502669, member: "Catania" }]));
  await attempt("geoSearchWith", c.geoSearchWith("g", { longitude: 15, latitude: 37 }, { radius: 200, unit: "km" }, ["WITHCOORD", "WITHDIST", "WITHHASH"], { SORT: "ASC" }));
  await attempt("geoPos", c.geoPos("g", ["Palermo", "none"]));
  await attempt("geoDist", c.geoDist("g", "Palermo", "Catania", "km"));
  await attempt("xAdd", c.xAdd("x", "1-1", { field: "value" }));
  await attempt("xRange", c.xRange("x", "-", "+"));
  await attempt("xGroupCreate", c.xGroupCreate("x", "group", "0"));
  await attempt("xReadGroup", c.xReadGroup("group", "me", [{ key: "x", id: ">" }], { COUNT: 1 }));
  await attempt("xPending", c.xPending("x", "group"));
  await attempt("xInfoGroups", c.xInfoGroups("x"));
  await attempt("objectEncoding", c.objectEncoding("set"));
  await attempt("expire", c.expire("a", 100, "XX"));
  await attempt("configGet", c.configGet("maxmemory-p*"));
  await attempt("wrong type", c.hGet("s", "x"));
}

async function several(c) {
  await attempt("multi", c.multi().incr("p1").zAdd("tz", { score: 1, value: "m" }).get("p1").exec());
  await attempt("multi that fails", c.multi().hGet("s", "x").set("k", "1").exec());
  await attempt("multi aborted", c.multi().addCommand(["GET"]).exec());
  await attempt("pipeline", c.multi().incr("p1").get("p1").execAsPipeline());
  const pool = await createClientPool(options).on("error", (err) => console.error(err)).connect();
  await pool.execute(async (own) => {
    await own.watch("watched");
    await c.incr("watched");
    await attempt("watch", own.multi().incr("watched").exec());
  });
  await pool.close();
  const many = await Promise.all(Array.from({ length: 500 }, (_, i) => c.set("many:" + i, String(i))));
  show("many", many.filter((v) => v === "OK").length);
  show("scanIterator", (await collect(c.scanIterator({ MATCH: "many:1*", COUNT: 50 }))).length);
  show("hScanIterator", await collect(c.hScanIterator("h")));
  show("sScanIterator", await collect(c.sScanIterator("set")));
  show("zScanIterator", await collect(c.zScanIterator("z")));
}

async function programs(c) {
  await attempt("eval", c.eval("return {KEYS[1], ARGV[1] * 2, redis.call('GET', KEYS[1])}", { keys: ["p1"], arguments: ["21"] }));
  const sha = await c.scriptLoad("return redis.error_reply('MINE of my own')");
  await attempt("evalSha", c.evalSha(sha));
  await attempt("functionLoad", c.functionLoad("#!lua name=lib\nredis.register_function('f', function(keys, args) return #keys + #args end)", { REPLACE: true }));
  await attempt("fCall", c.fCall("f", { keys: ["k"], arguments: ["a", "b"] }));
  await attempt("functionList", c.functionList());
}

async function messages(c) {
  const sub = await connect();
  const got = [];
  let add;
  const done = new Promise((resolve) => (add = (text, channel) => got.push([text, channel]) === 3 && resolve()));
  await sub.subscribe(["news", "more"], add);
  await sub.pSubscribe("n*", add);
  await attempt("publish", c.publish("news", "hello"));
  await attempt("publish more", c.publish("more", "b\x00ye"));
  await done;
  show("messages", got);
  await attempt("pubSubNumSub", c.pubSubNumSub(["news", "none"]));
  if (RESP === 3) await attempt("get while subscribed", sub.get("s"));
  await sub.unsubscribe();
  await sub.pUnsubscribe();
  await attempt("get", sub.get("s"));
  await sub.close();
}

async function waiting(c) {
  const blocked = await connect();
  const popped = blocked.bzPopMin("queue", 0);
  while (!/^blocked_clients:1\r?$/m.test(await c.info("clients")));
  await c.zAdd("queue", { score: 7, value: "m" });
  await attempt("bzPopMin", popped);
  await attempt("blPop", Promise.all([blocked.blPop("jobs", 0), c.rPush("jobs", ["one", "two"])]));
  await attempt("bzPopMax in vain", blocked.bzPopMax("none", 0.01));
  await blocked.close();
}

async function main() {
  const c = await connect();
  await c.flushAll();
  for (const part of [values, several, programs, messages, waiting]) await part(c);
  await c.close();
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
