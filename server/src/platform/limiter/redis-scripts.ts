import type { Redis, Result } from 'ioredis';

/**
 * A window is cut into as many slices as in `windows.ts`; a field of the hash is the number of a slice. What lies ahead was
 * counted before the server's clock was set back: it counts as of now, so that nobody waits longer than the window.
 */
const readWindow = `
local function readWindow(key, windowMs, now)
  local slice = math.floor(now / (windowMs / 60))
  local all = redis.call('HGETALL', key)
  local sum, list = 0, {}
  for j = 1, #all, 2 do
    local at, count = tonumber(all[j]), tonumber(all[j + 1])
    if at > slice then
      redis.call('HINCRBY', key, slice, count)
      redis.call('HDEL', key, all[j])
      at = slice
    end
    if at <= slice - 60 then redis.call('HDEL', key, all[j])
    elseif count > 0 then sum = sum + count; list[#list + 1] = { at, count } end
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return slice, sum, list
end
local function waitMs(list, sum, limit, windowMs, now)
  local left = sum
  for _, each in ipairs(list) do
    left = left - each[2]
    if left < limit then return math.max(1, math.ceil((each[1] + 60) * (windowMs / 60) - now)) end
  end
  return 0
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** What counts as running for longer than a lease, by a clock that was set back, has a lease from now on. */
const prune = `
local function prune(key, lease, now)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. now + lease, '+inf')) do
    redis.call('ZADD', key, now + lease, id)
  end
end
`;

/**
 * KEYS: windows, then slots. ARGV: how many windows, id ("" = only look), lease; for each window its length, what is
 * allowed, the amount; for each slot its limit. Answers {1, then used, reset, slice of each window, then each slot's
 * count} or {0, number of the key that is full, wait}.
 */
const take = `${readWindow}${prune}
local windows, id, lease = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local answer, seen = { 1 }, {}
for i = 1, windows do
  local windowMs, allowed, amount = tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2]), tonumber(ARGV[3 * i + 3])
  local slice, sum, list = readWindow(KEYS[i], windowMs, now)
  if id ~= '' and sum > 0 and sum + amount > allowed then
    return { 0, i, waitMs(list, sum, math.max(1, allowed - amount + 1), windowMs, now) }
  end
  seen[i] = { slice, sum, list, windowMs, amount }
end
for i = windows + 1, #KEYS do
  prune(KEYS[i], lease, now)
  local limit = tonumber(ARGV[3 * windows + 3 + i - windows])
  if id ~= '' and redis.call('ZCARD', KEYS[i]) >= limit then return { 0, i, 1000 } end
end
for i = 1, windows do
  local slice, sum, list, windowMs, amount = unpack(seen[i])
  local reset = waitMs(list, sum, 1, windowMs, now)
  if id ~= '' and amount > 0 then
    redis.call('HINCRBY', KEYS[i], slice, amount)
    redis.call('PEXPIRE', KEYS[i], math.ceil(windowMs * 62 / 60))
    sum = sum + amount
    reset = math.max(1, math.ceil((slice + 60) * (windowMs / 60) - now))
  end
  answer[#answer + 1] = sum
  answer[#answer + 1] = reset
  answer[#answer + 1] = slice
end
for i = windows + 1, #KEYS do
  if id ~= '' then
    redis.call('ZADD', KEYS[i], now + lease, id)
    redis.call('PEXPIRE', KEYS[i], lease)
  end
  answer[#answer + 1] = redis.call('ZCARD', KEYS[i])
end
return answer
`;

/** KEYS: a window. ARGV: its length, the amount, a slice ("" = now). A slice that has gone is left alone. */
const add = `${readWindow}
local windowMs, amount = tonumber(ARGV[1]), tonumber(ARGV[2])
local slice = readWindow(KEYS[1], windowMs, now)
local at = math.min(tonumber(ARGV[3]) or slice, slice)
if at <= slice - 60 then return 0 end
if redis.call('HINCRBY', KEYS[1], at, amount) < 0 then redis.call('HSET', KEYS[1], at, 0) end
redis.call('PEXPIRE', KEYS[1], math.ceil(windowMs * 62 / 60))
return 1
`;

/**
 * KEYS: sorted sets by deadline. ARGV: member, lease. Answers how many are in the first. Begins with what a full memory
 * refuses: a server that takes no calls' places must not look well.
 */
const renew = `${prune}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + ARGV[2], ARGV[1])
  prune(key, ARGV[2], now)
  redis.call('PEXPIRE', key, ARGV[2])
end
return redis.call('ZCARD', KEYS[1])
`;

type Argument = string | number;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    tollgateTake(keys: number, ...rest: Argument[]): Result<number[], Context>;
    tollgateAdd(keys: number, ...rest: Argument[]): Result<number, Context>;
    tollgateRenew(keys: number, ...rest: Argument[]): Result<number, Context>;
  }
}

/** Each is one round trip in which nobody comes between looking and taking; times are those of the server. */
export function defineScripts(client: Redis): void {
  client.defineCommand('tollgateTake', { lua: take });
  client.defineCommand('tollgateAdd', { lua: add });
  client.defineCommand('tollgateRenew', { lua: renew });
}
