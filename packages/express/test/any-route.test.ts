import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it } from '@jest/globals'
import { gcra } from '@sluice/core'
import express, { type Request, type RequestHandler, Router } from 'express'
import { rateLimit } from '../src/index.ts'

interface Params {
  id: string
}
interface Body {
  name: string
}
interface Answer {
  said: string
}
interface Query {
  page?: string
}

const limit = rateLimit({ policy: gcra({ count: 100, period: '1m' }) })
const usual: RequestHandler = limit

/** What the compiler must take: a route says of its request what it says without a limiter. */
const app = express()
app.use(express.json(), usual)
app.post<Params>('/params/:id', limit, (req, res) => {
  res.json({ said: req.params.id })
})
app.post<Params, Answer, Body, Query>('/all/:id', limit, async (req, res) => {
  const [left, key] = [limit.decisionFor(req)?.remaining, await limit.keyOf(req)]
  res.json({ said: [req.params.id, req.body.name, req.query.page, left !== undefined, key].join(' ') })
})
app.post('/typed/:id', limit, (req: Request<Params, Answer, Body, Query>, res) => {
  res.json({ said: req.body.name })
})
app.post('/inferred/:id', limit, (req, res) => {
  res.json({ said: req.params.id.toUpperCase() })
})
app.route('/route/:id').post(limit, (req, res) => {
  res.json({ said: req.params.id.toUpperCase() })
})
app.use<Params>('/used/:id', limit, (req, res) => {
  res.json({ said: req.params.id })
})
const merged = Router({ mergeParams: true }).post<Params>('/', limit, (req, res) => {
  res.json({ said: req.params.id })
})
app.use('/merged/:id', merged)

it.each([
  ['/params/a', 'a'],
  ['/all/a?page=2', 'a bob 2 true 127.0.0.1'],
  ['/typed/a', 'bob'],
  ['/inferred/a', 'A'],
  ['/route/a', 'A'],
  ['/used/a', 'a'],
  ['/merged/a', 'a'],
])('a route that says what its request has may be limited: %s', async (path, said) => {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of a TCP server
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bob' }),
  })
  server.close()
  expect(await response.json()).toEqual({ said })
  expect(response.headers.get('X-RateLimit-Limit')).toBe('100')
})
