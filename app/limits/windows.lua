-- Each window is a list of stamps, newest first, never longer than its limit. Stamps are microseconds of the server's
-- clock: the processes need no common one. A stamp from the future is from before that clock was set back; the window
-- is begun anew then, or it would stay shut for as long as the step was.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local stamp = string.format('%.0f', now)
local cost = tonumber(ARGV[1])
local allowed, wait, out = 1, 0, {}
for i, key in ipairs(KEYS) do
  local amount, window = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local newest = redis.call('LINDEX', key, 0)
  if newest and tonumber(newest) > now + 1000000 then redis.call('DEL', key) end
  local blocking = redis.call('LINDEX', key, amount - cost)
  if cost > amount then
    allowed, wait = 0, math.max(wait, window)
  elseif blocking and tonumber(blocking) > now - window then
    allowed, wait = 0, math.max(wait, tonumber(blocking) + window - now)
  end
end
for i, key in ipairs(KEYS) do
  local amount, window = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  if allowed == 1 and cost > 0 then
    for _ = 1, cost do redis.call('LPUSH', key, stamp) end
    redis.call('LTRIM', key, 0, amount - 1)
    redis.call('PEXPIRE', key, math.ceil(window / 1000) + 1)
  end
  local low, high = 0, math.min(amount, redis.call('LLEN', key))
  while low < high do
    local middle = math.floor((low + high) / 2)
    if tonumber(redis.call('LINDEX', key, middle)) > now - window then low = middle + 1 else high = middle end
  end
  local reset = 0
  if low > 0 then reset = tonumber(redis.call('LINDEX', key, low - 1)) + window - now end
  out[#out + 1] = amount - low
  out[#out + 1] = reset
end
return {allowed, wait, unpack(out)}
