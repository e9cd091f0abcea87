"""What redis-py gets from a server, a line a call. The test compares the lines
with those that Redis gives.

    python3 redis_py.py PORT RESP
"""

import sys
import threading

import redis

port, resp = int(sys.argv[1]), int(sys.argv[2])
options = {"port": port, "decode_responses": True}
if resp == 3:
    options["protocol"] = 3  # versions before 5 do not know the word


def show(name, value):
    print(name, sorted(value, key=str) if isinstance(value, (set, frozenset)) else repr(value))


def attempt(name, call, *args, **kwargs):
    try:
        show(name, call(*args, **kwargs))
    except redis.RedisError as err:
        show(name + " fails", f"{type(err).__name__}: {err}")


def values(r):
    attempt("set", r.set, "s", "v", ex=1000, nx=True)
    attempt("set nx", r.set, "s", "w", nx=True)
    attempt("set get", r.set, "s", "x", get=True)
    attempt("get", r.get, "s")
    attempt("mset", r.mset, {"a": 1, "b": 2})
    attempt("mget", r.mget, "a", "none", "b")
    attempt("incrbyfloat", r.incrbyfloat, "a", 0.5)
    attempt("incr", r.incr, "s")
    attempt("hset", r.hset, "h", mapping={"x": 1, "y": "two"})
    attempt("hgetall", r.hgetall, "h")
    attempt("hgetall none", r.hgetall, "none")
    attempt("hmget", r.hmget, "h", ["x", "none"])
    attempt("hrandfield", r.hrandfield, "h", 5, True)
    attempt("hincrby", r.hincrby, "h", "y")
    attempt("sadd", r.sadd, "set", 3, 1, 2)
    attempt("smembers", r.smembers, "set")
    attempt("smismember", r.smismember, "set", [1, 9])
    attempt("rpush", r.rpush, "l", "a", "b", "c")
    attempt("lrange", r.lrange, "l", 0, -1)
    attempt("lpos", r.lpos, "l", "b")
    attempt("lmpop", r.lmpop, 1, "l", direction="LEFT", count=2)
    attempt("lmove", r.lmove, "l", "m")
    attempt("blpop", r.blpop, ["none", "m"])
    attempt("setbit", r.setbit, "bits", 9, 1)
    attempt("bitcount", r.bitcount, "bits")
    attempt("bitfield", r.bitfield("bits").get("u8", 4).incrby("u8", 0, 3).execute)
    attempt("bitop", r.bitop, "NOT", "inverse", "bits")
    attempt("sort", r.sort, "set", desc=True)
    attempt("dump", lambda: len(redis.Redis(port=port).dump("a")) > 0)
    attempt("zadd", r.zadd, "z", {"a": 1, "b": 2.5, "c": float("inf")})
    attempt("zadd incr", r.zadd, "z", {"a": 1}, incr=True)
    attempt("zrange", r.zrange, "z", 0, -1, withscores=True)
    attempt("zscore", r.zscore, "z", "b")
    attempt("zmscore", r.zmscore, "z", ["b", "none"])
    attempt("zrandmember", r.zrandmember, "z", 5, True)
    attempt("zunion", r.zunion, {"z": 2, "set": 1}, withscores=True)
    attempt("zpopmin", r.zpopmin, "z")
    attempt("zmpop", r.zmpop, 1, ["z"], min=True)
    attempt("pfadd", r.pfadd, "p", 1, 2, 3)
    attempt("pfcount", r.pfcount, "p", "none")
    attempt("pfmerge", r.pfmerge, "q", "p")
    attempt("geoadd", r.geoadd, "g", [13.361389, 38.115556, "Palermo", 15.087269, 37.502669, "Catania"])
    attempt("geosearch", r.geosearch, "g", longitude=15, latitude=37, radius=200, unit="km", sort="ASC", withcoord=True, withdist=True, withhash=True)
    attempt("georadius", r.georadius, "g", 15, 37, 200, unit="km", sort="DESC", withdist=True)
    attempt("geopos", r.geopos, "g", "Palermo", "none")
    attempt("geodist", r.geodist, "g", "Palermo", "Catania", unit="mi")
    attempt("geohash", r.geohash, "g", "Palermo", "none")
    attempt("xadd", r.xadd, "x", {"field": "value"}, id="1-1")
    attempt("xrange", r.xrange, "x")
    attempt("xgroup_create", r.xgroup_create, "x", "group", "0")
    attempt("xreadgroup", r.xreadgroup, "group", "me", {"x": ">"}, count=1)
    attempt("xpending", r.xpending, "x", "group")
    attempt("xinfo_groups", r.xinfo_groups, "x")
    attempt("object", r.object, "encoding", "set")
    attempt("expire", r.expire, "a", 100, xx=True)
    attempt("config_get", r.config_get, "maxmemory-p*")
    attempt("command", lambda: r.command()["georadius"]["arity"])
    attempt("command_getkeys", r.command_getkeys, "MSET", "a", "1", "b", "2")
    attempt("client_info", lambda: r.client_info()["db"])
    attempt("slowlog", lambda: isinstance(r.slowlog_get(), list))
    attempt("wrong type", r.hget, "s", "x")
    attempt("unknown", r.execute_command, "NOSUCH", "x")


def several(r):
    pipe = r.pipeline(transaction=False)
    pipe.set("p1", 1).incr("p1").get("none").hgetall("h").hget("s", "x")
    show("pipeline", [str(v) for v in pipe.execute(raise_on_error=False)])
    pipe = r.pipeline()
    pipe.incr("p1").zadd("tz", {"m": 1}).zrange("tz", 0, -1, withscores=True)
    show("multi", pipe.execute())
    pipe.hget("s", "x").set("k", 1)
    attempt("multi that fails", pipe.execute)
    pipe.execute_command("GET")
    attempt("multi aborted", pipe.execute)
    with r.pipeline() as own:
        own.watch("watched")
        r.incr("watched")
        own.multi()
        own.incr("watched")
        attempt("watch", own.execute)
    show("transaction", r.transaction(lambda p: (p.multi(), p.incr("watched")), "watched"))
    bulk = r.pipeline(transaction=False)
    for i in range(500):
        bulk.set(f"many:{i}", i)
    show("many", sum(bulk.execute()))
    show("scan_iter", len(set(r.scan_iter("many:1*", count=50))))
    show("scan_iter type", sorted(r.scan_iter(_type="hash")))
    show("hscan_iter", sorted(r.hscan_iter("h")))
    show("sscan_iter", sorted(r.sscan_iter("set")))
    show("zscan_iter", sorted(r.zscan_iter("tz")))
    with r.lock("lock", timeout=10):
        attempt("second lock", lambda: r.lock("lock").acquire(blocking=False))
    attempt("lock is gone", r.exists, "lock")


def programs(r):
    twice = r.register_script("return {KEYS[1], ARGV[1] * 2, redis.call('GET', KEYS[1])}")
    attempt("script", twice, keys=["p1"], args=[21])
    pipe = r.pipeline()
    twice(keys=["p1"], args=[4], client=pipe)
    attempt("pipelined script", pipe.execute)
    attempt("eval", r.eval, "return redis.error_reply('MINE of my own')", 0)
    attempt("script_exists", r.script_exists, twice.sha, "0" * 40)
    attempt("function", r.execute_command, "FUNCTION", "LOAD", "REPLACE", "#!lua name=lib\nredis.register_function('f', function(keys, args) return #keys + #args end)")
    attempt("fcall", r.execute_command, "FCALL", "f", 1, "k", "a", "b")


def messages(r):
    sub = r.pubsub()
    sub.subscribe("news", "more")
    sub.psubscribe("n*")
    for _ in range(3):
        show("subscribed", sub.get_message(timeout=10))
    attempt("publish", r.publish, "news", "hello")
    attempt("publish more", r.publish, "more", "b\0ye")
    for _ in range(3):
        show("message", sub.get_message(timeout=10))
    attempt("pubsub_numsub", r.pubsub_numsub, "news", "none")
    sub.unsubscribe("news", "more")
    sub.punsubscribe("n*")
    show("unsubscribed", [sub.get_message(timeout=10) for _ in range(3)])
    sub.close()


def waiting(r):
    popped = []
    waiter = threading.Thread(target=lambda: popped.append(redis.Redis(**options).bzpopmin("queue")))
    waiter.start()
    while r.info("clients")["blocked_clients"] != 1:
        pass
    r.zadd("queue", {"m": 7})
    waiter.join()
    show("bzpopmin", popped)
    attempt("bzpopmax in vain", r.bzpopmax, "none", 0.01)


def main():
    r = redis.Redis(**options)
    r.flushall()
    for part in (values, several, programs, messages, waiting):
        part(r)
    with r.monitor() as monitor:
        r.echo("seen")
        show("monitor", monitor.next_command()["command"])


main()
