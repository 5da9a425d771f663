/** Files of envoyproxy/ratelimit, and what its service answers: our own files and words, by its documentation. */
export interface EnvoyCase {
  readonly title: string
  readonly files: { readonly [name: string]: string }
  /** Requests in their order, such as `shop: user=ann, path=/a | ip=1 +2`, where `+2` are the hits, and the answer to each. */
  readonly steps: readonly (readonly [asked: string, answer: string])[]
}

/** Descriptors of a domain, one a line: `user=ann 5/hour shadow_mode` with two blanks for each level. */
function config(domain: string, lines: string): string {
  return `domain: ${domain}\ndescriptors:\n${lines}`
}

const rate = (requests: number, unit: string) =>
  `rate_limit: { unit: ${unit}, requests_per_unit: ${requests} }`
const tenTimes = <T>(each: (i: number) => T) => Array.from({ length: 10 }, (_, i) => each(i))

export const envoyCases: readonly EnvoyCase[] = [
  {
    title: 'a value of its own comes before the key alone, and each value counts for itself',
    files: {
      'a.yaml': config(
        'zoo',
        `  - { key: keeper, ${rate(2, 'hour')} }\n  - { key: keeper, value: eve, ${rate(1, 'day')} }\n`,
      ),
    },
    steps: [
      ['zoo: keeper=ann', 'OK: OK 1/2 HOUR'],
      ['zoo: keeper=ann', 'OK: OK 0/2 HOUR'],
      ['zoo: keeper=ann', 'OVER_LIMIT: OVER_LIMIT 0/2 HOUR'],
      ['zoo: keeper=bob', 'OK: OK 1/2 HOUR'],
      ['zoo: keeper=eve', 'OK: OK 0/1 DAY'],
      ['zoo: keeper=eve', 'OVER_LIMIT: OVER_LIMIT 0/1 DAY'],
    ],
  },
  {
    title: 'what is not in the files passes: a domain, a key, another value, a value without a limit',
    files: {
      'a.yaml': config(
        'zoo',
        `  - { key: animal, value: lion, ${rate(1, 'hour')} }\n  - { key: animal, value: hare }\n`,
      ),
    },
    steps: [
      ['park: animal=lion', 'OK: OK'],
      ['zoo: plant=lion', 'OK: OK'],
      ['zoo: animal=bear', 'OK: OK'],
      ['zoo: animal=hare', 'OK: OK'],
      ['zoo: animal=', 'OK: OK'],
    ],
  },
  {
    title: 'only the depth of the request counts',
    files: {
      'a.yaml': config(
        'zoo',
        `  - key: house\n    value: cats\n    ${rate(2, 'hour')}\n    descriptors:\n      - { key: cage, ${rate(1, 'hour')} }\n      - { key: cage, value: "7", ${rate(3, 'hour')} }\n  - key: house\n    ${rate(9, 'hour')}\n`,
      ),
    },
    steps: [
      ['zoo: house=cats', 'OK: OK 1/2 HOUR'],
      ['zoo: house=cats, cage=1', 'OK: OK 0/1 HOUR'],
      ['zoo: house=cats, cage=1', 'OVER_LIMIT: OVER_LIMIT 0/1 HOUR'],
      ['zoo: house=cats, cage=7', 'OK: OK 2/3 HOUR'],
      ['zoo: house=cats', 'OK: OK 0/2 HOUR'],
      // Deeper than the file, or another way than it goes: its own value is not left for the key alone.
      ['zoo: house=cats, cage=1, side=left', 'OK: OK'],
      ['zoo: house=birds, cage=1', 'OK: OK'],
      ['zoo: cage=1', 'OK: OK'],
    ],
  },
  {
    title: 'none a time refuses all, and the most that there is refuses nobody',
    files: {
      'a.yaml': config(
        'zoo',
        `  - { key: gate, value: shut, ${rate(0, 'second')} }\n  - { key: gate, value: wide, ${rate(4_294_967_295, 'year')} }\n  - { key: gate, value: blank, rate_limit: { unit: day } }\n`,
      ),
    },
    steps: [
      ['zoo: gate=shut', 'OVER_LIMIT: OVER_LIMIT 0/0 SECOND'],
      ['zoo: gate=shut | gate=wide', 'OVER_LIMIT: OVER_LIMIT 0/0 SECOND | OK 4294967294/4294967295 YEAR'],
      ['zoo: gate=blank', 'OVER_LIMIT: OVER_LIMIT 0/0 DAY'],
      ['zoo: gate=wide', 'OK: OK 4294967293/4294967295 YEAR'],
    ],
  },
  {
    title: 'units from second to year, whatever their case',
    files: {
      'a.yaml': config(
        'zoo',
        ['second', 'Minute', 'HOUR', 'day', 'week', 'month', 'year']
          .map((unit) => `  - { key: per, value: ${unit.toLowerCase()}, ${rate(5, unit)} }\n`)
          .join(''),
      ),
    },
    steps: ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'].map(
      (unit) => [`zoo: per=${unit}`, `OK: OK 4/5 ${unit === 'week' ? '7' : unit.toUpperCase()}`] as const,
    ),
  },
  {
    title: 'what is unlimited has all that can be said left',
    files: {
      'a.yaml': config(
        'zoo',
        `  - { key: staff, rate_limit: { unlimited: true } }\n  - { key: house, descriptors: [{ key: staff, rate_limit: { unlimited: yes, requests_per_unit: 3 } }] }\n`,
      ),
    },
    steps: [
      ['zoo: staff=ann', 'OK: OK 4294967295'],
      ['zoo: house=cats, staff=ann', 'OK: OK 4294967295'],
      ['zoo: house=cats', 'OK: OK'],
    ],
  },
  {
    title: 'a star is any text, each value counts for itself, and the first that matches counts',
    files: {
      'a.yaml': config(
        'zoo',
        `  - { key: path, value: /map*, ${rate(1, 'hour')} }\n  - { key: path, value: /map/own, ${rate(2, 'hour')} }\n  - { key: path, value: /*/feed, ${rate(3, 'hour')} }\n  - { key: path, value: /a*b*c, ${rate(4, 'hour')} }\n  - { key: path, ${rate(5, 'hour')} }\n`,
      ),
    },
    steps: [
      ['zoo: path=/map', 'OK: OK 0/1 HOUR'],
      ['zoo: path=/map/1', 'OK: OK 0/1 HOUR'],
      ['zoo: path=/map/1', 'OVER_LIMIT: OVER_LIMIT 0/1 HOUR'],
      ['zoo: path=/map/own', 'OK: OK 1/2 HOUR'],
      ['zoo: path=/map/feed', 'OK: OK 0/1 HOUR'],
      ['zoo: path=/lion/feed', 'OK: OK 2/3 HOUR'],
      ['zoo: path=/lion/feeds', 'OK: OK 4/5 HOUR'],
      ['zoo: path=/a-b-c', 'OK: OK 3/4 HOUR'],
      ['zoo: path=/abc', 'OK: OK 3/4 HOUR'],
      ['zoo: path=/acb', 'OK: OK 4/5 HOUR'],
    ],
  },
  {
    title: 'a star alone comes before the key alone',
    files: {
      'a.yaml': config(
        'zoo',
        `  - { key: path, ${rate(5, 'hour')} }\n  - { key: path, value: "*", ${rate(1, 'hour')} }\n  - { key: path, value: "a*", ${rate(2, 'hour')} }\n`,
      ),
    },
    steps: [
      ['zoo: path=a', 'OK: OK 0/1 HOUR'],
      ['zoo: path=', 'OK: OK 0/1 HOUR'],
    ],
  },
  {
    title: 'values of a pattern share a count where they are to, also on the way to a limit',
    files: {
      'a.yaml': config(
        'zoo',
        `  - { key: cat, value: big/*, share_threshold: true, ${rate(3, 'hour')} }\n  - { key: bird, value: red/*, ${rate(1, 'hour')} }\n  - key: house\n    value: h*\n    share_threshold: true\n    descriptors:\n      - { key: cage, value: c*, ${rate(1, 'hour')} }\n      - { key: door, value: d*, share_threshold: true, ${rate(2, 'hour')} }\n`,
      ),
    },
    steps: [
      ['zoo: cat=big/lion', 'OK: OK 2/3 HOUR'],
      ['zoo: cat=big/tiger', 'OK: OK 1/3 HOUR'],
      ['zoo: cat=big/lion', 'OK: OK 0/3 HOUR'],
      ['zoo: cat=big/puma', 'OVER_LIMIT: OVER_LIMIT 0/3 HOUR'],
      ['zoo: bird=red/1', 'OK: OK 0/1 HOUR'],
      ['zoo: bird=red/2', 'OK: OK 0/1 HOUR'],
      ['zoo: house=h1, cage=c1', 'OK: OK 0/1 HOUR'],
      ['zoo: house=h2, cage=c1', 'OVER_LIMIT: OVER_LIMIT 0/1 HOUR'],
      ['zoo: house=h2, cage=c2', 'OK: OK 0/1 HOUR'],
      ['zoo: house=h1, door=d1', 'OK: OK 1/2 HOUR'],
      ['zoo: house=h2, door=d2', 'OK: OK 0/2 HOUR'],
      ['zoo: house=h3, door=d3', 'OVER_LIMIT: OVER_LIMIT 0/2 HOUR'],
    ],
  },
  {
    title: 'what is tried out refuses nobody, and says that nothing is left',
    files: {
      'a.yaml': config(
        'zoo',
        `  - { key: tour, shadow_mode: true, ${rate(1, 'hour')} }\n  - { key: tour, value: night, ${rate(1, 'hour')} }\n  - { key: tour, value: none, shadow_mode: true, ${rate(0, 'hour')} }\n`,
      ),
    },
    steps: [
      ['zoo: tour=day', 'OK: OK 0/1 HOUR'],
      ['zoo: tour=day', 'OK: OK 0/1 HOUR'],
      ['zoo: tour=night', 'OK: OK 0/1 HOUR'],
      ['zoo: tour=night | tour=day', 'OVER_LIMIT: OVER_LIMIT 0/1 HOUR | OK 0/1 HOUR'],
      ['zoo: tour=none', 'OK: OK 0/0 HOUR'],
    ],
  },
  {
    title: 'several descriptors are refused where one is, and each counts for itself',
    files: {
      'a.yaml': config('zoo', `  - { key: visitor, ${rate(20, 'minute')} }\n`),
      'b.yaml': config(
        'park',
        `  - { key: visitor, ${rate(9, 'day')} }\n  - { key: way, ${rate(2, 'hour')} }\n`,
      ),
    },
    steps: [
      ...tenTimes((i) => ['zoo: visitor=ann', `OK: OK ${19 - i}/20 MINUTE`] as const),
      ...tenTimes((i) => ['zoo: visitor=ann', `OK: OK ${9 - i}/20 MINUTE`] as const),
      ...tenTimes(() => ['zoo: visitor=ann', 'OVER_LIMIT: OVER_LIMIT 0/20 MINUTE'] as const),
      ['park: visitor=ann | way=north', 'OK: OK 8/9 DAY | OK 1/2 HOUR'],
      ['park: visitor=ann | way=north', 'OK: OK 7/9 DAY | OK 0/2 HOUR'],
      ['park: visitor=ann | way=north', 'OVER_LIMIT: OK 6/9 DAY | OVER_LIMIT 0/2 HOUR'],
      ['park: way=north | visitor=ann | sky=blue', 'OVER_LIMIT: OVER_LIMIT 0/2 HOUR | OK 5/9 DAY | OK'],
    ],
  },
  {
    title: 'hits of a request count for each descriptor',
    files: { 'a.yaml': config('zoo', `  - { key: bag, ${rate(5, 'hour')} }\n`) },
    steps: [
      ['zoo: bag=a | bag=b +3', 'OK: OK 2/5 HOUR | OK 2/5 HOUR'],
      ['zoo: bag=a +3', 'OVER_LIMIT: OVER_LIMIT 0/5 HOUR'],
      // Its service would have counted the three, and refuses from here on.
      ['zoo: bag=a +2', 'OK: OK 0/5 HOUR'],
      ['zoo: bag=a', 'OVER_LIMIT: OVER_LIMIT 0/5 HOUR'],
    ],
  },
  {
    title: 'a domain may be in several files',
    files: {
      'a.yaml': config('zoo', `  - { key: lion, ${rate(1, 'hour')} }\n`),
      'b.yml': config('zoo', `  - { key: bear, ${rate(2, 'hour')} }\n`),
      'notes.txt': 'domain: [',
      '.hidden.yaml': 'domain: [',
    },
    steps: [
      ['zoo: lion=1', 'OK: OK 0/1 HOUR'],
      ['zoo: bear=1', 'OK: OK 1/2 HOUR'],
    ],
  },
  {
    title: 'a descriptor replaces others of the request, which count nothing',
    files: {
      'a.yaml': config(
        'zoo',
        `  - key: tour
    descriptors:
      - { key: guide, value: old, rate_limit: { name: slow, unit: hour, requests_per_unit: 1 } }
      - { key: guide, value: gone, rate_limit: { name: none, unit: hour, requests_per_unit: 0 } }
  - { key: group, value: school, rate_limit: { unit: hour, requests_per_unit: 3, replaces: [{ name: slow }, { name: none }, { name: other }] } }
  - { key: group, value: staff, rate_limit: { unlimited: true, replaces: [{ name: slow }] } }
  - { key: group, ${rate(9, 'hour')} }
`,
      ),
    },
    steps: [
      ['zoo: tour=a, guide=old', 'OK: OK 0/1 HOUR (slow)'],
      ['zoo: tour=a, guide=old', 'OVER_LIMIT: OVER_LIMIT 0/1 HOUR (slow)'],
      ['zoo: tour=b, guide=old | group=school', 'OK: OK | OK 2/3 HOUR'],
      ['zoo: group=school | tour=b, guide=old', 'OK: OK 1/3 HOUR | OK'],
      ['zoo: tour=b, guide=gone | group=school', 'OK: OK | OK 0/3 HOUR'],
      ['zoo: tour=b, guide=gone | group=school', 'OVER_LIMIT: OK | OVER_LIMIT 0/3 HOUR'],
      ['zoo: tour=b, guide=old | group=staff', 'OK: OK | OK 4294967295'],
      ['zoo: tour=b, guide=old | group=other', 'OK: OK 0/1 HOUR (slow) | OK 8/9 HOUR'],
      ['zoo: tour=b, guide=gone', 'OVER_LIMIT: OVER_LIMIT 0/0 HOUR (none)'],
    ],
  },
  {
    title: 'quotas refuse only together, and what is not known of a limit is passed over',
    files: {
      'a.yaml': config(
        'zoo',
        `  - { key: pool, value: small, quota_mode: true, metadata: { pool: { name: small, at: [1, 2] } }, ${rate(1, 'hour')} }\n  - { key: pool, value: large, quota_mode: true, ${rate(2, 'hour')} }\n`,
      ),
    },
    steps: [
      ['zoo: pool=small | pool=large', 'OK: OK 0/1 HOUR | OK 1/2 HOUR'],
      ['zoo: pool=small | pool=large', 'OK: OVER_LIMIT 0/1 HOUR | OK 0/2 HOUR'],
      ['zoo: pool=small | pool=large', 'OVER_LIMIT: OVER_LIMIT 0/1 HOUR | OVER_LIMIT 0/2 HOUR'],
      ['zoo: pool=small', 'OVER_LIMIT: OVER_LIMIT 0/1 HOUR'],
    ],
  },
  {
    title: 'names are any text, and what is said of metrics decides nothing',
    files: {
      'a.yaml': config(
        '"a/b"',
        `  - { key: __proto__, value: constructor, detailed_metric: true, ${rate(1, 'hour')} }\n  - { key: "7", value: 1.10, value_to_metric: true, ${rate(2, 'hour')} }\n  - { key: on, value: null, ${rate(3, 'hour')} }\n`,
      ),
    },
    steps: [
      ['a/b: __proto__=constructor', 'OK: OK 0/1 HOUR'],
      ['a/b: __proto__=toString', 'OK: OK'],
      ['a/b: 7=1.10', 'OK: OK 1/2 HOUR'],
      ['a/b: on=dog', 'OK: OK 2/3 HOUR'],
    ],
  },
]
