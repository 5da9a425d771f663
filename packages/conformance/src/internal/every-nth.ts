import { defineStrategy, type Policy, type StrategyDraft } from '@sluice/core'

interface Options {
  readonly n: number
  readonly forget: number
}

interface Numbers {
  readonly n: number
  readonly forgetUs: number
}

interface State {
  readonly asked: number
  readonly goneUs: number
}

interface NthDraft extends StrategyDraft {
  readonly asked: number
}

/** Lets every n-th unit wait for the key to be forgotten: a strategy that nobody needs, in both halves. */
const lua = `
local function look(key, at, cost)
  local n = tonumber(ARGV[at])
  local asked = redis.pcall('GET', key)
  if type(asked) == 'table' then
    return nil, asked
  end
  asked = tonumber(asked or 0)
  local left = n - 1 - asked
  if cost <= left then
    return 0, 0, left - cost, 0, ARGV[at + 1] + 0, asked + cost
  end
  return 1, 0, left, ARGV[at + 1] + 0, ARGV[at + 1] + 0, asked + cost
end

local function take(key, at, cost, asked)
  save(key, string.format('%.0f', asked), tonumber(ARGV[at + 1]))
end
`

function define(half: {
  redis?: { encode(numbers: Numbers): readonly number[]; lua: string }
}): (options: Options) => Policy {
  return defineStrategy<Options, Numbers, State, NthDraft, never>({
    name: 'every nth: {mine}',
    can: [],
    parse({ n, forget }, bad) {
      if (!Number.isInteger(n) || n < 2) bad('n', 'a whole number of at least 2', n)
      return { n, forgetUs: forget * 1000 }
    },
    limitOf: ({ n }) => n - 1,
    look({ n, forgetUs }, state, nowUs, cost) {
      const asked = state === undefined || state.goneUs <= nowUs ? 0 : state.asked
      const left = n - 1 - asked
      const allowed = cost <= left
      const remaining = allowed ? left - cost : left
      const retryAfterUs = allowed ? 0 : forgetUs
      return { allowed, limit: n - 1, remaining, retryAfterUs, resetAfterUs: forgetUs, asked: asked + cost }
    },
    take: (_state, { asked, resetAfterUs }, { nowUs }) => ({ asked, goneUs: nowUs + resetAfterUs }),
    idleUs: (_numbers, { goneUs }, nowUs) => goneUs - nowUs,
    ...half,
  })
}

/** In memory only. */
export const everyNth: (options: Options) => Policy = define({})

/** With a Lua half. */
export const everyNthAnywhere: (options: Options) => Policy = define({
  redis: { encode: ({ n, forgetUs }) => [n, forgetUs], lua },
})
