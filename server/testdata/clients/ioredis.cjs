// What ioredis gets from a server, a line a call. The test compares the lines
// with those that Redis gives.
//
//   node ioredis.cjs PORT RESP
"use strict";
const { Redis } = require("ioredis");
const [port, protocol] = process.argv.slice(2).map(Number);
const connect = (options) => new Redis({ port, protocol, host: "127.0.0.1", retryStrategy: null, ...options });

const show = (name, value) => console.log(name, JSON.stringify(value, (_, v) => (Buffer.isBuffer(v) ? v.toString("hex") : v)));
const attempt = async (name, promise) => {
  try {
    show(name, await promise);
  } catch (err) {
    show(name + " fails", err.message);
  }
};
const collect = async (stream) => {
  const all = [];
  for await (const page of stream) all.push(...page);
  return [...new Set(all)].sort();
};

async function values(r) {
  await attempt("set", r.set("s", "v", "EX", 1000, "NX"));
  await attempt("set nx", r.set("s", "w", "NX"));
  await attempt("get", r.get("s"));
  await attempt("getBuffer", r.getBuffer("s"));
  await attempt("mset", r.mset(new Map([["a", 1], ["b", 2]])));
  await attempt("mget", r.mget("a", "none", "b"));
  await attempt("incrbyfloat", r.incrbyfloat("a", 0.5));
  await attempt("incr", r.incr("s"));
  await attempt("hset", r.hset("h", { x: 1, y: "two" }));
  await attempt("hgetall", r.hgetall("h"));
  await attempt("hgetall none", r.hgetall("none"));
  await attempt("hmget", r.hmget("h", ["x", "none"]));
  await attempt("hincrby", r.hincrby("h", "y", 1));
  await attempt("sadd", r.sadd("set", [3, 1, 2]));
  await attempt("smembers", r.smembers("set"));
  await attempt("smismember", r.smismember("set", 1, 9));
  await attempt("rpush", r.rpush("l", "a", "b", "c"));
  await attempt("lrange", r.lrange("l", 0, -1));
  await attempt("lpos", r.lpos("l", "b"));
  await attempt("lmpop", r.lmpop(1, "l", "LEFT", "COUNT", 2));
  await attempt("setbit", r.setbit("bits", 9, 1));
  await attempt("bitcount", r.bitcount("bits"));
  await attempt("bitfield", r.bitfield("bits", "GET", "u8", 4));
  await attempt("zadd", r.zadd("z", 1, "a", "2.5", "b", "+inf", "c"));
  await attempt("zrange", r.zrange("z", 0, -1, "WITHSCORES"));
  await attempt("zscore", r.zscore("z", "b"));
  await attempt("zpopmin", r.zpopmin("z"));
  await attempt("pfadd", r.pfadd("p", 1, 2, 3));
  await attempt("pfcount", r.pfcount("p"));
  await attempt("geoadd", r.geoadd("g", 13.361389, 38.115556, "Palermo", 15.087269, 37.502669, "Catania"));
  await attempt("geosearch", r.geosearch("g", "FROMLONLAT", 15, 37, "BYRADIUS", 200, "km", "ASC", "WITHCOORD", "WITHDIST"));
  await attempt("geopos", r.geopos("g", "Palermo", "none"));
  await attempt("xadd", r.xadd("x", "1-1", "field", "value"));
  await attempt("xrange", r.xrange("x", "-", "+"));
  await attempt("xgroup", r.xgroup("CREATE", "x", "group", "0"));
  await attempt("xreadgroup", r.xreadgroup("GROUP", "group", "me", "COUNT", 1, "STREAMS", "x", ">"));
  await attempt("xpending", r.xpending("x", "group"));
  await attempt("object", r.object("ENCODING", "set"));
  await attempt("expire", r.expire("a", 100, "XX"));
  await attempt("wrong type", r.sadd("s", 1));
}

async function several(r) {
  await attempt("pipeline", r.pipeline().set("p1", 1).incr("p1").get("none").hgetall("h").exec().then((all) => all.map(([err, v]) => [err && err.message, v])));
  await attempt("multi", r.multi().incr("p1").zadd("tz", 1, "m").get("p1").exec());
  await attempt("multi that fails", r.multi().hget("s", "x").set("k", 1).exec().then((all) => all.map(([err, v]) => [err && err.message, v])));
  await attempt("multi aborted", r.multi().get("a", "b").exec());
  const other = connect();
  await r.watch("watched");
  await other.incr("watched");
  await attempt("watch", r.multi().incr("watched").exec());
  other.disconnect();
  const many = await Promise.all(Array.from({ length: 500 }, (_, i) => r.set("many:" + i, i)));
  show("many", many.filter((v) => v === "OK").length);
  show("scanStream", (await collect(r.scanStream({ match: "many:1*", count: 50 }))).length);
  show("hscanStream", await collect(r.hscanStream("h")));
  show("sscanStream", await collect(r.sscanStream("set")));
  show("zscanStream", await collect(r.zscanStream("z")));
}

async function programs(r) {
  r.defineCommand("twice", { numberOfKeys: 1, lua: "return {KEYS[1], ARGV[1] * 2, redis.call('GET', KEYS[1])}" });
  await attempt("script", r.twice("p1", 21));
  await attempt("script again", r.twice("p1", 22));
  await attempt("eval", r.eval("return redis.error_reply('MINE of my own')", 0));
  await attempt("pipelined script", r.pipeline().twice("p1", 4).exec());
  await attempt("function", r.call("FUNCTION", "LOAD", "REPLACE", "#!lua name=lib\nredis.register_function('f', function(keys, args) return #keys + #args end)"));
  await attempt("fcall", r.call("FCALL", "f", 1, "k", "a", "b"));
}

async function messages(r) {
  const sub = connect();
  const got = [];
  const done = new Promise((resolve) => {
    const add = (line) => got.push(line) === 3 && resolve();
    sub.on("message", (channel, text) => add(["message", channel, text]));
    sub.on("pmessage", (pattern, channel, text) => add(["pmessage", pattern, channel, text]));
  });
  await attempt("subscribe", sub.subscribe("news", "more"));
  await attempt("psubscribe", sub.psubscribe("n*"));
  await attempt("publish", r.publish("news", "hello"));
  await attempt("publish more", r.publish("more", "b\x00ye"));
  await done;
  show("messages", got);
  await attempt("ping", sub.ping("x"));
  await attempt("unsubscribe", sub.unsubscribe("news", "more"));
  await attempt("punsubscribe", sub.punsubscribe("n*"));
  sub.disconnect();
}

async function waiting(r) {
  const blocked = connect();
  const popped = blocked.bzpopmin("queue", 0);
  while (!/^blocked_clients:1\r?$/m.test(await r.info("clients")));
  await r.zadd("queue", 7, "m");
  await attempt("bzpopmin", popped);
  await attempt("blpop", Promise.all([blocked.blpop("jobs", 0), r.rpush("jobs", "one", "two")]));
  await attempt("bzpopmax in vain", blocked.bzpopmax("none", 0.01));
  blocked.disconnect();
}

async function main() {
  const r = connect({ connectionName: "smoke" });
  await r.flushall();
  await attempt("client name", r.client("GETNAME"));
  for (const part of [values, several, programs, messages, waiting]) await part(r);
  const auto = connect({ enableAutoPipelining: true, db: 1, keyPrefix: "pre:" });
  await attempt("auto pipelining", Promise.all([auto.set("a", 1), auto.incr("a"), auto.get("a")]));
  await attempt("prefixed keys", auto.keys("*"));
  await auto.quit();
  await r.quit();
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
