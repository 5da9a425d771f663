import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { routeOf } from '../src/route.ts'

const known = ['', 'stream', 'tokens.css']

// biome-ignore format: a table
test.each([
  // url                   before it was cut    leads to
  ['/',                     undefined,           ''],
  ['/stream',               undefined,           'stream'],
  ['/dashboard',            undefined,           './dashboard/'],
  ['/dashboard/',           undefined,           ''],
  ['/dashboard/stream',     undefined,           'stream'],
  ['/dashboard/nope.js',    undefined,           null],
  // Express cuts off what it was mounted at.
  ['/',                     '/dashboard',        './dashboard/'],
  ['/?span=60',             '/dashboard?span=60', './dashboard/'],
  ['/',                     '/dashboard/',       ''],
  ['/stream',               '/dashboard/stream', 'stream'],
  ['/nope',                 '/dashboard/nope',   null],
  ['/',                     '/a%20b',            null],
  // A route of Express, which cuts nothing.
  ['/dashboard',            '/dashboard',        './dashboard/'],
  ['/dashboard/stream',     '/dashboard/stream', 'stream'],
  [undefined,               undefined,           ''],
])('%s, which was %s, leads to %p', (url, originalUrl, leadsTo) => {
  const request = originalUrl === undefined ? { url } : { url, originalUrl }
  const route = routeOf(request as IncomingMessage, (name) => known.includes(name))
  const target = route === undefined ? null : 'redirect' in route ? route.redirect : route.name
  expect(target).toBe(leadsTo)
})

test('what is asked for behind a question mark is kept', () => {
  const route = routeOf({ url: '/x/stream?span=60&rows=all?' } as IncomingMessage, (name) =>
    known.includes(name),
  )
  expect(route !== undefined && 'query' in route ? [...route.query] : null).toEqual([
    ['span', '60'],
    ['rows', 'all'],
  ])
})
