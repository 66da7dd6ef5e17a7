-- wrk's script: sends the requests of two files in turn, and looks in each answer for what it must hold.
-- One connection a thread: the answer is always that of the last request.

local threads = {}

function setup(thread)
  thread:set("first", #threads * 7)
  table.insert(threads, thread)
end

function init(args)
  local asked, file = dofile(args[1]), io.open(args[2], "rb")
  asks, needles, at, failed, wrong = {}, {}, first, 0, 0
  for number, ask in ipairs(asked.asks) do
    asks[number] = wrk.format("POST", asked.path, asked.headers, file:read(ask[1]))
    needles[number] = ask[2]
  end
  file:close()
end

function request()
  at = at + 1
  return asks[at % #asks + 1]
end

function response(status, headers, body)
  if status ~= 200 then
    failed = failed + 1
  elseif not string.find(body, needles[at % #asks + 1], 1, true) then
    wrong = wrong + 1
  end
end

function done(summary, latency, requests)
  local failed, wrong = 0, 0
  for _, thread in ipairs(threads) do
    failed = failed + thread:get("failed")
    wrong = wrong + thread:get("wrong")
  end
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '{"requests": %d, "seconds": %f, "p50_ms": %f, "p99_ms": %f, "errors": %d, "wrong": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, failed + broken, wrong))
end
