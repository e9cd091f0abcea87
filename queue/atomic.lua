-- One step of a room, as one isolated script. It runs by the store's clock and
-- leaves nothing half done: whoever is admitted can read it in the store before
-- any reply has arrived anywhere.
--
-- KEYS  seq waiting active heard clock settings
-- ARGV  operation visitor slot ttl grace per-minute reclaim window news
--       durations in milliseconds; visitor is "" for admit
-- Reply {now in microseconds, state, detail, freed, admitted, abandoned}
--       state 0 unknown; 1 waiting, detail its rank; 2 admitted, detail its expiry
--       admitted {visitor, ticket, expiry, ...}; abandoned {visitor, ...}
local seq, waiting, active, heard, clock, settings = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local operation, visitor = ARGV[1], ARGV[2]
local slot, ttl, grace, perminute = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local reclaim, window, news = ARGV[7] == '1', tonumber(ARGV[8]), ARGV[9]

-- The most visitors that one step takes out of the line, so that it never holds
-- the store for long.
local most = 1000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local freed, admitted, abandoned = 0, {}, {}

-- The room's own time advances with the store's, but by no more than a quarter
-- of the grace between two admit cycles: while nobody served the room, nobody
-- could make himself heard, and that time counts against no one.
local function roomtime()
  local at = redis.call('HMGET', clock, 'at', 'time')
  local passed = now - (tonumber(at[1]) or now)
  return (tonumber(at[2]) or 0) + math.max(0, math.min(passed, math.floor(grace / 4)))
end

local function beat()
  if grace > 0 then redis.call('ZADD', heard, roomtime(), visitor) end
end

-- pace is how many may be admitted so that admissions stay evenly spread: at
-- most perminute in a minute, and what a window holds of it at once (GCRA).
local interval = 0
local function pace()
  if perminute == 0 then return most end
  interval = 60000 / perminute
  local ahead = math.max(0, (tonumber(redis.call('HGET', clock, 'next')) or 0) - now)
  return math.floor((math.max(window, interval) - ahead) / interval + 1e-9)
end

local function spend(n)
  if perminute == 0 or n == 0 then return end
  local from = math.max(now, tonumber(redis.call('HGET', clock, 'next')) or 0)
  redis.call('HSET', clock, 'next', from + n * interval)
end

local function seat(n, deadline)
  local expiry, seated, looked = now + ttl, 0, 0
  while seated < n and looked < most do
    local first = redis.call('ZPOPMIN', waiting, math.min(n - seated, most - looked))
    if #first == 0 then break end
    for i = 1, #first, 2 do
      local since = grace > 0 and redis.call('ZSCORE', heard, first[i])
      looked = looked + 1
      if since and tonumber(since) <= deadline then
        abandoned[#abandoned + 1] = first[i]
      else
        redis.call('ZADD', active, expiry, first[i])
        admitted[#admitted + 1] = first[i]
        admitted[#admitted + 1] = first[i + 1]
        admitted[#admitted + 1] = expiry
        seated = seated + 1
      end
      if grace > 0 then redis.call('ZREM', heard, first[i]) end
    end
  end
  spend(seated)
end

-- What operators have set in the store goes before what an instance was
-- started with, so that all instances agree.
local function set()
  local s = redis.call('HMGET', settings, 'slot', 'paused', 'per_minute')
  slot = tonumber(s[1]) or slot
  perminute = tonumber(s[3]) or perminute
  return s[2] == '1'
end

local function admit()
  if set() then return end
  local free = slot - redis.call('ZCARD', active)
  if free > 0 then free = math.min(free, pace()) end
  if free > 0 then seat(free, grace > 0 and roomtime() - grace) end
end

local function reap()
  if reclaim then freed = redis.call('ZREMRANGEBYSCORE', active, '-inf', now) end
end

-- Those in the middle of the line who have gone away leave it too, some in each
-- cycle, so that the numbers shown to others are true.
local function sweep()
  if grace == 0 then return end
  local t = roomtime()
  redis.call('HSET', clock, 'at', now, 'time', t)
  for _, silent in ipairs(redis.call('ZRANGEBYSCORE', heard, '-inf', t - grace, 'LIMIT', 0, 100)) do
    redis.call('ZREM', heard, silent)
    if redis.call('ZREM', waiting, silent) == 1 then abandoned[#abandoned + 1] = silent end
  end
end

local function stands()
  local expiry = redis.call('ZSCORE', active, visitor)
  if expiry and tonumber(expiry) > now then return 2, tonumber(expiry) end
  local rank = redis.call('ZRANK', waiting, visitor)
  if rank then return 1, rank end
  return 0, 0
end

local state, detail = 0, 0
if operation == 'admit' then
  reap()
  sweep()
  admit()
elseif operation == 'status' then
  state, detail = stands()
  if state == 1 then beat() end
elseif operation == 'join' then
  state, detail = stands()
  if state == 0 then
    redis.call('ZADD', waiting, redis.call('INCR', seq), visitor)
  end
  if state ~= 2 then
    beat()
    if state == 0 then
      reap()
      admit()
    end
    state, detail = stands()
  end
elseif operation == 'leave' then
  state, detail = stands()
  local place = redis.call('ZREM', waiting, visitor)
  local seated = redis.call('ZREM', active, visitor)
  if place == 1 then redis.call('ZREM', heard, visitor) end
  if seated == 1 then
    reap()
    admit()
  end
elseif operation == 'renew' then
  state, detail = stands()
  if state == 2 then
    detail = math.max(detail, now + ttl)
    redis.call('ZADD', active, 'XX', detail, visitor)
  end
end

if #admitted > 0 then
  local names = {}
  for i = 1, #admitted, 3 do names[#names + 1] = admitted[i] end
  redis.call('PUBLISH', news, table.concat(names, ' '))
end
return {time[1] * 1000000 + time[2], state, detail, freed, admitted, abandoned}
