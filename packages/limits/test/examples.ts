/** The file of the first page, as an operator writes it. */
export const original = `schema:
  user:
    children:
      "*":
        limits: [15, 30, 60]     # burst, count, period in seconds (GCRA)
        children:
          trade:
            limits: [5, 10, 15]
`

/** The readable form beside it. */
export const readable = `charge: every-level                # or all-or-nothing
schema:
  ip:
    children:
      "*":
        limits:                                    # a mapping names its policies
          perMinute: { strategy: gcra, count: 100, period: 1m }
          daily:     { strategy: fixedWindow, limit: 10000, window: 1d, start: clock }
          login:     { strategy: slidingWindowLog, limit: 5, window: 15m, shadow: true, onStoreFailure: deny }
        children:
          export: { limits: { strategy: tokenBucket, capacity: 5, count: 1, period: 1m } }   # one policy without a name
          health: { limits: unlimited }                             # lifts the limits met on the way here
          admin:  { limits: deny }
`

interface Example {
  readonly title: string
  readonly text: string
}

/** A file that is right, and its limits: level, strategy, limit. */
export interface Good extends Example {
  readonly levels: readonly (readonly [level: string, strategy: string, limit: number])[]
}

/** A file that is wrong, and all that is said of it. */
export interface Bad extends Example {
  readonly problems: readonly string[]
  /** Why the JSON Schema cannot see it; undefined where it does. */
  readonly unseen?: string
}

const place = (limits: string) => `schema:\n  user:\n    limits: ${limits}\n`
const policy = (options: string) => place(`{ ${options} }`)

// biome-ignore format: a table
export const good: readonly Good[] = [
  { title: 'the file of the first page', text: original, levels: [['user/*', 'gcra', 16], ['user/*/trade', 'gcra', 6]] },
  { title: 'the readable form', text: readable, levels: [['ip/*/perMinute', 'gcra', 100], ['ip/*/daily', 'fixedWindow', 10_000], ['ip/*/login', 'slidingWindowLog', 5], ['ip/*/export', 'tokenBucket', 5]] },
  { title: 'three numbers as a block list', text: 'schema:\n  user:\n    limits:\n      - 15\n      - 30\n      - 60\n', levels: [['user', 'gcra', 16]] },
  { title: 'no burst on top', text: place('[0, 30, 60]'), levels: [['user', 'gcra', 1]] },
  { title: 'three numbers by name', text: policy('perMinute: [15, 30, 60]'), levels: [['user/perMinute', 'gcra', 16]] },
  { title: 'a policy by the name of strategy', text: policy('strategy: { strategy: uniform, interval: 10s }'), levels: [['user/strategy', 'uniform', 1]] },
  { title: 'gcra', text: policy('strategy: gcra, count: 30, period: 1m, burst: 15, maxDebt: 0'), levels: [['user', 'gcra', 16]] },
  { title: 'tokenBucket', text: policy('strategy: tokenBucket, capacity: 5, count: 1, period: 1m, start: empty, maxDebt: 5m'), levels: [['user', 'tokenBucket', 5]] },
  { title: 'leakyBucket', text: policy('strategy: leakyBucket, capacity: 5, count: 1, period: 1.5s'), levels: [['user', 'leakyBucket', 5]] },
  { title: 'uniform', text: policy('strategy: uniform, interval: 500ms'), levels: [['user', 'uniform', 1]] },
  { title: 'slidingWindowLog', text: policy('strategy: slidingWindowLog, limit: 5, window: 30d'), levels: [['user', 'slidingWindowLog', 5]] },
  { title: 'slidingWindowCounter', text: policy('strategy: slidingWindowCounter, limit: 5, window: 1h'), levels: [['user', 'slidingWindowCounter', 5]] },
  { title: 'fixedWindow', text: policy('strategy: fixedWindow, limit: 5, window: 1h, start: first-hit'), levels: [['user', 'fixedWindow', 5]] },
  { title: 'an amount with digits', text: policy('strategy: fixedWindow, limit: 2.5, window: 1h, unit: 0.01'), levels: [['user', 'fixedWindow', 2.5]] },
  { title: 'fixedWindow by the calendar', text: policy('strategy: fixedWindow, limit: 5, every: week, timeZone: Europe/Vienna, firstDayOfWeek: sunday'), levels: [['user', 'fixedWindow', 5]] },
  { title: 'attributedWindow', text: policy('strategy: attributedWindow, limit: 5, window: 1h, noteBytes: 32'), levels: [['user', 'attributedWindow', 5]] },
  { title: 'fairShare', text: policy('strategy: fairShare, limit: 5, window: 1h, weight: 2, maxClients: 9, noteBytes: 32'), levels: [['user', 'fairShare', 5]] },
  { title: 'multiWindow', text: policy('strategy: multiWindow, limits: [{ limit: 9, window: 10s }, { limit: 4, window: 1s }], slot: 100ms'), levels: [['user', 'multiWindow', 4]] },
  { title: 'concurrency', text: policy('strategy: concurrency, limit: 5, lease: 1m'), levels: [['user', 'concurrency', 5]] },
  { title: 'a policy for each strategy failure', text: policy('a: { strategy: uniform, interval: 1s, onStoreFailure: local }, b: { strategy: uniform, interval: 1s, onStoreFailure: allow, shadow: false }'), levels: [['user/a', 'uniform', 1], ['user/b', 'uniform', 1]] },
  { title: 'a place that says nothing itself', text: 'schema:\n  "*": { limits: [1, 2, 3] }\n  open: {}\n', levels: [['*', 'gcra', 2]] },
  { title: 'limits below unlimited and deny', text: 'schema:\n  a: { limits: unlimited, children: { b: { limits: [1, 2, 3] } } }\n  c: { limits: deny, children: { d: { limits: [1, 2, 3] } } }\n', levels: [['a/b', 'gcra', 2], ['c/d', 'gcra', 2]] },
  { title: 'aliases of places and of policies', text: 'schema:\n  a: &a\n    limits: &three [1, 2, 3]\n  b: *a\n  c: { limits: { named: *three } }\n', levels: [['a', 'gcra', 2], ['b', 'gcra', 2], ['c/named', 'gcra', 2]] },
  { title: 'an alias of the last anchor of a name', text: 'schema:\n  a: { limits: &x [1, 2, 3] }\n  b: { limits: &x [4, 5, 6] }\n  c: { limits: *x }\n', levels: [['a', 'gcra', 2], ['b', 'gcra', 5], ['c', 'gcra', 5]] },
  { title: 'JSON, which is YAML', text: '{"charge": "all-or-nothing", "schema": {"user": {"limits": [15, 30, 60]}}}', levels: [['user', 'gcra', 16]] },
  { title: 'Windows ends of lines and a byte order mark', text: `\uFEFF${original.replaceAll('\n', '\r\n')}`, levels: [['user/*', 'gcra', 16], ['user/*/trade', 'gcra', 6]] },
  { title: 'patterns, and names that share a count', text: 'schema:\n  path:\n    patterns:\n      "/a/*": { shared: true, limits: [1, 2, 3] }\n    children:\n      "*": { shared: true, limits: [2, 2, 3] }\n', levels: [['path/*', 'gcra', 3], ['path/%2Fa%2F*', 'gcra', 2]] },
  { title: 'limits of the end of a path alone', text: 'match: end\nschema:\n  a: { name: 7, limits: [1, 2, 3], children: { b: { replaces: [7, other], limits: [2, 2, 3] } } }\n', levels: [['a', 'gcra', 2], ['a/b', 'gcra', 3]] },
]

const threeNumbers = 'three numbers: burst, count, period in seconds'
const shape =
  'three numbers (burst, count, period in seconds) or a mapping with `strategy`, several by name, "unlimited" or "deny"'
const strategies =
  'one of attributedWindow, concurrency, fairShare, fixedWindow, gcra, leakyBucket, multiWindow, slidingWindowCounter, slidingWindowLog, tokenBucket, uniform'
const duration = 'a duration with a unit such as "10s", of whole microseconds, from 1 ms to 366 days'
const notYaml = 'it is no YAML'
const notData = 'data has no anchors, no tags and each name once'

// biome-ignore format: a table
export const bad: readonly Bad[] = [
  // The text
  { title: 'nothing', text: '', problems: ['1:1: expected a mapping with `schema`, the tree of limits, got nothing'] },
  { title: 'a comment alone', text: '# limits\n', problems: ['1:1: expected a mapping with `schema`, the tree of limits, got nothing'] },
  { title: 'prose', text: 'not YAML, though a text is YAML too', problems: ['1:1: expected a mapping with `schema`, the tree of limits, got "not YAML, though a text is YAML too" (string)'] },
  { title: 'bytes', text: '\u0000\u0001\u009B', problems: ['1:1: expected a mapping with `schema`, the tree of limits, got "\\u0000\\u0001\\u{9b}" (string)'] },
  { title: 'a list', text: '- user\n- ip\n', problems: ['1:1: expected a mapping with `schema`, the tree of limits, got a list of 2'] },
  { title: 'a tab', text: 'schema:\n\tuser:\n', problems: ['2:1: expected spaces as indentation, got a tab'], unseen: notYaml },
  { title: 'two tabs', text: 'schema:\n  user:\n\t\tlimits: [1, 2, 3]\n  ip:\n\t\tlimits: [1, 2, 3]\n', problems: ['3:1: expected spaces as indentation, got a tab', '5:1: expected spaces as indentation, got a tab'], unseen: notYaml },
  { title: '* without quotes', text: 'schema:\n  *:\n    limits: [1, 2, 3]\n', problems: ['2:4: expected an alias with a name (the name "*" needs quotes), got one without'], unseen: notYaml },
  { title: 'a bracket that stays open', text: 'schema:\n  user:\n    limits: [1, 2\n  ip: {}\n', problems: ['4:3: expected well-formed YAML, got a mistake in it (Flow sequence in block collection must be sufficiently indented and end with a ])'], unseen: notYaml },
  { title: 'two mistakes on a line, of which one may follow from the other', text: 'schema: "a" "b" "c"\n', problems: ['1:13: expected well-formed YAML, got a mistake in it (Unexpected double-quoted-scalar at node end)'], unseen: notYaml },
  { title: 'a second document', text: `${original}---\nschema: {}\n`, problems: ['9:1: expected one document, got a second one'], unseen: notYaml },
  { title: 'a directive alone', text: '%YAML 1.2\n', problems: ['2:1: expected well-formed YAML, got a mistake in it (Missing directives-end indicator line)'], unseen: notYaml },
  { title: 'a tag', text: place('!numbers [1, 2, 3]'), problems: ['3:13: expected well-formed YAML, got a mistake in it (Unresolved tag: !numbers)'], unseen: notData },

  { title: 'an amount with digits and no unit', text: policy('strategy: fixedWindow, limit: 2.5, window: 1h'), problems: ['3:45: schema.user.limits.limit: expected a whole number of at least 0, got 2.5 (number)'] },
  { title: 'a unit of what is in flight', text: policy('strategy: concurrency, limit: 5, unit: 0.01'), problems: ['3:54: schema.user.limits.unit: expected to be left out, as concurrency counts no amounts, got 0.01 (number)'] },

  // Names and places
  { title: 'no schema', text: 'charge: every-level\n', problems: ['1:1: expected a mapping with `schema`, the tree of limits, got one without'] },
  { title: 'an empty schema', text: 'schema:\n', problems: ['1:8: schema: expected at least one name, or "*" for every other, got nothing'] },
  { title: 'places without any limit', text: 'schema:\n  user:\n    children:\n      alex: {}\n', problems: ['2:3: schema: expected at least one place with `limits`, got a tree that limits nothing'], unseen: 'what stands below' },
  { title: 'schema misspelt', text: 'shema:\n  user: {}\n', problems: ['1:1: shema: expected a known field (did you mean "schema"?), got "shema" (string)'] },
  { title: 'an unknown field above all', text: 'schema:\n  user: {}\nversion: 1\n', problems: ['3:1: version: expected a known field (there are schema, charge and match), got "version" (string)'] },
  { title: 'charge misspelt', text: 'charge: everylevel\nschema:\n  user: {}\n', problems: ['1:9: charge: expected "every-level" or "all-or-nothing" (did you mean "every-level"?), got "everylevel" (string)'] },
  { title: 'a name twice', text: 'schema:\n  user: { limits: [1, 2, 3] }\n  user: { limits: [4, 5, 6] }\n', problems: ['3:3: schema.user: expected each name once, got "user" again'], unseen: notData },
  { title: 'a field twice', text: 'schema:\n  user:\n    limits: [1, 2, 3]\n    limits: deny\n', problems: ['4:5: schema.user.limits: expected each name once, got "limits" again'], unseen: notData },
  { title: 'an option twice', text: policy('strategy: uniform, interval: 1s, interval: 2s'), problems: ['3:48: schema.user.limits.interval: expected each name once, got "interval" again'], unseen: notData },
  { title: 'a number and a text of one spelling', text: 'schema:\n  7: {}\n  "7": {}\n', problems: ['3:3: schema.7: expected each name once, got "7" again'], unseen: notData },
  { title: 'an empty name', text: 'schema:\n  "": {}\n', problems: ['2:3: schema: expected a name, got an empty one'] },
  { title: 'names that are no text', text: 'schema:\n  [a]: {}\n  ? { b: c }\n  : {}\n', problems: ['2:3: schema: expected a name, got a list of 1', '3:5: schema: expected a name, got a mapping'], unseen: notData },
  { title: 'a merge key', text: 'schema:\n  a: &a { limits: [1, 2, 3] }\n  b: { <<: *a }\n', problems: ['3:8: schema.b["<<"]: expected names that are written out, or one alias for them all, got a merge key (<<)'] },
  { title: 'a place of nothing', text: 'schema:\n  user:\n', problems: ['2:8: schema.user: expected a mapping with `limits`, `children` or both, got nothing'] },
  { title: 'a place of a long name, with a long text', text: `schema:\n  ${'n'.repeat(70)}: ${'t'.repeat(70)}\n`, problems: [`2:75: schema["${'n'.repeat(60)}…"]: expected a mapping with \`limits\`, \`children\` or both, got "${'t'.repeat(60)}…" (string)`] },
  { title: 'a place of a name that ends a line', text: 'schema:\n  "a.b\\n\\x9b": 1\n', problems: ['2:16: schema["a.b\\n\\u{9b}"]: expected a mapping with `limits`, `children` or both, got 1 (number)'] },
  { title: 'a place without a space', text: 'schema:\n  user:\n    limits:[15,30,60]\n', problems: ['3:5: schema.user: expected a mapping with `limits`, `children` or both, got "limits:[15,30,60]" (string)'] },
  { title: 'limits misspelt', text: 'schema:\n  user: { limit: [1, 2, 3] }\n', problems: ['2:11: schema.user.limit: expected a known field (did you mean "limits"?), got "limit" (string)'] },
  { title: 'names without children', text: 'schema:\n  user:\n    "*": { limits: [1, 2, 3] }\n', problems: ['3:5: schema.user.*: expected a known field (there are limits, children, patterns and shared; names stand below children), got "*" (string)'] },
  { title: 'children of nothing', text: 'schema:\n  user:\n    children: {}\n', problems: ['3:15: schema.user.children: expected at least one name, or "*" for every other, got an empty mapping'] },

  // Patterns and names of places
  { title: 'a pattern without a star', text: 'schema:\n  a:\n    patterns: { b: {} }\n', problems: ['3:17: schema.a.patterns.b: expected a name with "*" in it (others stand below children), got "b" (string)'] },
  { title: 'a star as a pattern', text: 'schema:\n  a:\n    patterns: { "*": {} }\n', problems: ['3:17: schema.a.patterns.*: expected more than "*", which stands below children, got "*" (string)'] },
  { title: 'a pattern and a child of one name', text: 'schema:\n  a:\n    patterns: { "b*": {} }\n    children: { "b*": {} }\n', problems: ['3:17: schema.a.patterns.b*: expected patterns and children of different names, got both "b*"'], unseen: 'two names may not be one' },
  { title: 'a pattern and a policy of one name', text: 'schema:\n  a:\n    limits: { "b*": [1, 2, 3] }\n    patterns: { "b*": {} }\n', problems: ['3:15: schema.a.limits.b*: expected policies and children of different names, got both "b*"'], unseen: 'two names may not be one' },
  { title: 'a single name that shares', text: 'schema:\n  a: { shared: true, limits: [1, 2, 3] }\n', problems: ['2:16: schema.a.shared: expected it left out, as only names of a pattern or of "*" can share a count, got true (boolean)'], unseen: 'who can share' },
  { title: 'shared that is no truth value', text: 'schema:\n  "*": { shared: 1 }\n', problems: ['2:18: schema.*.shared: expected true or false, got 1 (number)'] },
  { title: 'names where all limits of a path apply', text: 'schema:\n  a: { name: b, replaces: [c] }\n', problems: ['2:8: schema.a.name: expected a known field (there are limits, children, patterns and shared; names stand below children), got "name" (string)', '2:17: schema.a.replaces: expected a known field (there are limits, children, patterns and shared; names stand below children), got "replaces" (string)'], unseen: 'match decides' },
  { title: 'names that are none', text: 'match: end\nschema:\n  a: { name: "", replaces: [~] }\n  b: { replaces: c }\n', problems: ['3:14: schema.a.name: expected a name, got an empty one', '3:29: schema.a.replaces[0]: expected a name, got nothing', '4:18: schema.b.replaces: expected a list of names of places, got "c" (string)'] },
  { title: 'an unknown way to match', text: 'match: start\nschema: { a: {} }\n', problems: ['1:8: match: expected "along" or "end", got "start" (string)'] },

  // Limits
  { title: 'limits of nothing', text: place(''), problems: [`3:13: schema.user.limits: expected ${shape}, got nothing`] },
  { title: 'an empty mapping', text: place('{}'), problems: [`3:13: schema.user.limits: expected ${shape}, got an empty mapping`] },
  { title: 'a number', text: place('30'), problems: [`3:13: schema.user.limits: expected ${shape}, got 30 (number)`] },
  { title: 'unlimited misspelt', text: place('unlimted'), problems: ['3:13: schema.user.limits: expected "unlimited" or "deny" (did you mean "unlimited"?), got "unlimted" (string)'] },
  { title: 'two numbers', text: place('[15, 30]'), problems: [`3:13: schema.user.limits: expected ${threeNumbers}, got a list of 2`] },
  { title: 'four numbers', text: place('[15, 30, 60, 1]'), problems: [`3:13: schema.user.limits: expected ${threeNumbers}, got a list of 4`] },
  { title: 'zeros', text: place('[0, 0, 0]'), problems: ['3:20: schema.user.limits[2]: expected a whole number of at least 1, got 0 (number)'] },
  { title: 'numbers below zero, broken, in quotes', text: place('[-1, 1.5, "60"]'), problems: ['3:14: schema.user.limits[0]: expected a whole number of at least 0, got -1 (number)', '3:18: schema.user.limits[1]: expected a whole number of at least 0, got 1.5 (number)', '3:23: schema.user.limits[2]: expected a whole number of at least 1, got "60" (string)'] },
  { title: 'numbers that are none', text: place('[.nan, .inf, ~]'), problems: ['3:14: schema.user.limits[0]: expected a whole number of at least 0, got NaN (number)', '3:20: schema.user.limits[1]: expected a whole number of at least 0, got Infinity (number)', '3:26: schema.user.limits[2]: expected a whole number of at least 1, got nothing'] },
  { title: 'a length and a calendar', text: policy('strategy: fixedWindow, limit: 5, window: 1d, every: day, timeZone: UTC'), problems: ['3:56: schema.user.limits.window: expected nothing beside `every`, got "1d" (string)'] },
  { title: 'a calendar without a time zone', text: policy('strategy: fixedWindow, limit: 5, every: day'), problems: ['3:13: schema.user.limits.timeZone: expected a time zone such as "Europe/Vienna" or "UTC", got nothing'] },
  { title: 'a time zone that there is not', text: policy('strategy: fixedWindow, limit: 5, every: day, timeZone: Europe/Wien'), problems: ['3:70: schema.user.limits.timeZone: expected a time zone such as "Europe/Vienna" or "UTC", got "Europe/Wien" (string)'], unseen: 'the names of time zones are many' },
  { title: 'three numbers that no strategy counts', text: place('[1, 3000000, 1]'), problems: ['3:17: schema.user.limits[1]: expected a rate of whole microseconds per unit within 0.5 % (nearest: 1000000; tokenBucket takes any rate), got 3000000 (number)'], unseen: 'a matter of two numbers' },
  { title: 'a period of three years', text: place('[1, 1, 94608000]'), problems: [`3:20: schema.user.limits[2]: expected ${duration}, got "94608000s" (string)`], unseen: 'a longest period' },
  { title: 'a policy and a child of one name', text: 'schema:\n  user:\n    limits: { trade: [1, 2, 3] }\n    children: { trade: {} }\n', problems: ['3:15: schema.user.limits.trade: expected policies and children of different names, got both "trade"'], unseen: 'a matter of two names' },

  // Policies
  { title: 'no strategy', text: policy('count: 5, period: 1m'), problems: [`3:13: schema.user.limits.strategy: expected ${strategies}, got nothing`] },
  { title: 'strategy misspelt', text: policy('stratgy: gcra, count: 5, period: 1m'), problems: ['3:15: schema.user.limits.stratgy: expected a known field (did you mean "strategy"?), got "stratgy" (string)'] },
  { title: 'an unknown strategy', text: policy('strategy: slidingLog, limit: 5, window: 1m'), problems: [`3:25: schema.user.limits.strategy: expected ${strategies}, got "slidingLog" (string)`] },
  { title: 'a strategy misspelt', text: policy('strategy: gcar, count: 5, period: 1m'), problems: [`3:25: schema.user.limits.strategy: expected ${strategies} (did you mean "gcra"?), got "gcar" (string)`] },
  { title: 'an option misspelt', text: policy('strategy: gcra, cuont: 5, period: 1m'), problems: ['3:31: schema.user.limits.cuont: expected a known field (did you mean "count"?), got "cuont" (string)'] },
  { title: 'shadow misspelt', text: policy('strategy: uniform, interval: 1s, shadw: true'), problems: ['3:48: schema.user.limits.shadw: expected a known field (did you mean "shadow"?), got "shadw" (string)'] },
  { title: 'an option missing', text: policy('strategy: gcra, count: 5'), problems: [`3:13: schema.user.limits.period: expected ${duration}, got nothing`] },
  { title: 'a time without a unit', text: policy('strategy: gcra, count: 5, period: 60'), problems: ['3:49: schema.user.limits.period: expected a duration with a unit such as "10s", got 60 (number)'] },
  { title: 'a time of an unknown unit', text: policy('strategy: gcra, count: 5, period: 1w'), problems: [`3:49: schema.user.limits.period: expected ${duration}, got "1w" (string)`] },
  { title: 'a time below a millisecond', text: policy('strategy: uniform, interval: 0.5ms'), problems: [`3:44: schema.user.limits.interval: expected ${duration}, got "0.5ms" (string)`], unseen: 'a shortest time' },
  { title: 'a time of nothing', text: policy('strategy: uniform, interval: 0'), problems: [`3:44: schema.user.limits.interval: expected ${duration}, got 0 (number)`] },
  { title: 'a limit in quotes', text: policy('strategy: fixedWindow, limit: "5", window: 1m'), problems: ['3:45: schema.user.limits.limit: expected a whole number of at least 0, got "5" (string)'] },
  { title: 'a limit that a terminal obeys', text: policy('strategy: fixedWindow, limit: "\\x9b", window: 1m'), problems: ['3:45: schema.user.limits.limit: expected a whole number of at least 0, got "\\u{9b}" (string)'] },
  { title: 'a limit that no log holds', text: policy('strategy: slidingWindowLog, limit: 100001, window: 1m'), problems: ['3:50: schema.user.limits.limit: expected a whole number from 0 to 100000, got 100001 (number)'] },
  { title: 'a window within windows', text: policy('strategy: multiWindow, limits: [{ limit: 5, window: 1s }, { limit: 9, window: 10 }]'), problems: ['3:93: schema.user.limits.limits[1].window: expected a duration with a unit such as "10s", got 10 (number)'] },
  { title: 'a window within windows misspelt', text: policy('strategy: multiWindow, limits: [{ limit: 5, windw: 1s }]'), problems: ['3:59: schema.user.limits.limits[0].windw: expected a known field (did you mean "window"?), got "windw" (string)'] },
  { title: 'windows that do not rise', text: policy('strategy: multiWindow, limits: [{ limit: 5, window: 1s }, { limit: 5, window: 2s }]'), problems: ['3:46: schema.user.limits.limits: expected higher limits for longer windows (more than 5 in the longer one), got 5 (number)'], unseen: 'a matter of two numbers' },
  { title: 'shadow that is no truth value', text: policy('strategy: uniform, interval: 1s, shadow: yes'), problems: ['3:56: schema.user.limits.shadow: expected true or false, got "yes" (string)'] },
  { title: 'an unknown failure choice', text: policy('strategy: uniform, interval: 1s, onStoreFailure: alow'), problems: ['3:64: schema.user.limits.onStoreFailure: expected "local" or "allow" or "deny" (did you mean "allow"?), got "alow" (string)'] },
  { title: 'a word among policies', text: policy('a: deny, b: [1, 2, 3]'), problems: ['3:18: schema.user.limits.a: expected three numbers (burst, count, period in seconds) or a mapping with `strategy`, got "deny" (string)'] },

  // Aliases
  { title: 'an alias of nothing', text: 'schema:\n  user: *user\n', problems: ['2:9: schema.user: expected a mapping with `limits`, `children` or both, got an alias without an anchor ("user")'], unseen: notData },
  { title: 'an alias of what it is part of', text: 'schema:\n  user: &user\n    children: { again: *user }\n', problems: ['3:24: schema.user.children.again: expected a tree that ends, got an alias of what it is part of'], unseen: notData },
  { title: 'a policy of what it is part of', text: policy('strategy: multiWindow, limits: &limits [*limits]'), problems: ['3:55: schema.user.limits.limits[0]: expected data that ends, got an alias of what it is part of'] },
  { title: 'one mistake behind two aliases', text: 'schema:\n  a: &a { limits: [1, 2] }\n  b: *a\n  c: { children: { d: *a } }\n', problems: [`2:19: schema.a.limits: expected ${threeNumbers}, got a list of 2`] },

  // Several
  { title: 'three mistakes in three places', text: 'charge: none\nschema:\n  a: { limits: [1, 2] }\n  b: { limits: { strategy: gcra, count: -1, period: 1m } }\n', problems: ['1:9: charge: expected "every-level" or "all-or-nothing", got "none" (string)', `3:16: schema.a.limits: expected ${threeNumbers}, got a list of 2`, '4:41: schema.b.limits.count: expected a whole number of at least 0, got -1 (number)'] },
]
