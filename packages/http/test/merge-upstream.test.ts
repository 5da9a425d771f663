import { describe, expect, it } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { createGate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import { mergeUpstream } from '../src/index.ts'
import type { HeaderOptions } from '../src/options.ts'
import { exchangeOf } from './exchange.ts'

/** A request of which five of ten are left, with the fields of these options. */
async function limited(headers: false | HeaderOptions): Promise<object> {
  const gate = createGate<object>({
    name: 'front',
    policy: fixedWindow({ limit: 10, window: '10s' }),
    cost: 5,
    headers,
  })
  const exchange = exchangeOf()
  await handleRequest(gate, exchange)
  return exchange.request
}

const x = (remaining: number) => ({
  'x-ratelimit-limit': '100',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': '60',
})
const list = { 'ratelimit-policy': '"back";q=100;w=60', ratelimit: '"back";r=3;t=60' }
const both = {
  'ratelimit-policy': '"front";q=10;w=10, "back";q=100;w=60',
  ratelimit: '"front";r=5;t=10, "back";r=3;t=60',
}

describe('fields of a server behind this one', () => {
  // biome-ignore format: a table
  it.each<[string, false | HeaderOptions, Record<string, string>, Record<string, string>]>([
    // what                                    this server's fields             the upstream's           what is copied of them
    ['more left there: none are copied',       {},                              x(6),                    {}],
    ['as much left there: none are copied',    {},                              x(5),                    {}],
    ['as much, and a refusal there: all are copied', {},                        { ...x(5), 'retry-after': '3' }, { ...x(5), 'retry-after': '3' }],
    ['less left there: all are copied',        {},                              x(4),                    x(4)],
    ['not whole: none are copied',             {},                              { 'x-ratelimit-remaining': '4' }, {}],
    ['no number: none are copied',             {},                              { ...x(4), 'x-ratelimit-remaining': 'few' }, {}],
    ['none here: all are copied',              false,                           { ...x(6), ...list },    { ...x(6), ...list }],
    ['another kind: all are copied',           {},                              list,                    list],
    ['items of the draft: joined',             { x: false, draft: true },       list,                    both],
    ['an older draft: none of its items',      { x: false, draft: 7 },          list,                    {}],
    ['numbers of draft 6: as the X- fields',   { x: false, draft: 6 },
      { 'ratelimit-limit': '100', 'ratelimit-remaining': '4', 'ratelimit-reset': '60' },
      { 'ratelimit-limit': '100', 'ratelimit-remaining': '4', 'ratelimit-reset': '60' }],
    ['others are left alone',                  {},                              { ...x(6), 'retry-after': '3', etag: 'a' }, { 'retry-after': '3', etag: 'a' }],
  ])('%s', async (_what, options, upstream, copied) => {
    const request = await limited(options)
    const headers: Record<string, string | string[] | undefined> = { ...upstream }
    expect(mergeUpstream(request, headers)).toBe(headers)
    expect(headers).toEqual(copied)
    const web = new Headers(upstream)
    expect(mergeUpstream(request, web)).toBe(web)
    expect(Object.fromEntries(web)).toEqual(copied)
  })

  it('are all copied where nothing was limited', () => {
    expect(mergeUpstream({}, { ...x(6), ...list })).toEqual({ ...x(6), ...list })
  })
})
