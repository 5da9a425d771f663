import { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { isNeighbour } from '../src/index.ts'
import { checkNeighbour } from '../src/neighbour.ts'
import { Site } from './site.ts'

function from(remoteAddress: string | undefined, headers = {}) {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
  return () => checkNeighbour({ socket, headers: { host: 'localhost:3000', ...headers } })
}

describe('the stand serves this machine only', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('and so %s', (address) => {
    expect(from(address)).not.toThrow()
  })

  it.each(['192.0.2.1', '10.127.0.1', '::ffff:192.0.2.1', '2001:db8::1', 'fe80::1', '::', '', undefined])(
    'but not %s',
    (address) => {
      expect(from(address)).toThrow(
        'The stand serves this machine only, and this request is refused: its connection comes from elsewhere.',
      )
    },
  )

  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '127.1.2.3', '[::1]', '[::1]:65535'])(
    'by the name of %s',
    (host) => {
      expect(from('::1', { host })).not.toThrow()
    },
  )

  it.each([
    'zoo.example',
    'localhost.zoo.example',
    'localhost:3000.zoo.example',
    '127.0.0.1.zoo.example',
    '192.0.2.1',
    '[2001:db8::1]:80',
    '::1',
    'localhost:',
    '',
    undefined,
  ])('not by the name of %s, which may lead here by a trick', (host) => {
    expect(from('127.0.0.1', { host })).toThrow('its Host field names no loopback address')
  })

  it.each([
    'forwarded',
    'via',
    'x-real-ip',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-anything',
  ])('not through a proxy, which writes %s', (field) => {
    expect(from('127.0.0.1', { [field]: '' })).toThrow(`its ${field} field tells of a proxy`)
  })

  // biome-ignore format: a table
  it.each([
    // origin                        host               served
    ['http://localhost:3000',        'localhost:3000',  true],
    ['https://127.0.0.1',            '127.0.0.1',       true],
    ['http://localhost:3000',        'LocalHost:3000',  true],
    ['http://localhost:3001',        'localhost:3000',  false],
    ['http://127.0.0.1:3000',        'localhost:3000',  false],
    ['http://zoo.example',           'localhost:3000',  false],
    ['null',                         'localhost:3000',  false],
    ['',                             'localhost:3000',  false],
    ['file://localhost:3000',        'localhost:3000',  false],
  ])('a page of %s, to %s: %s', (origin, host, served) => {
    const asked = from('127.0.0.1', { origin, host })
    if (served) expect(asked).not.toThrow()
    else expect(asked).toThrow('it comes from a page of another origin')
  })
})

it.each([
  ['127.0.0.1', true],
  ['192.0.2.1', false],
])('whether somebody at %s is a neighbour: %s', (address, is) => {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address })
  expect(isNeighbour({ socket, headers: { host: 'localhost' } })).toBe(is)
})

describe('whoever is no neighbour', () => {
  let site: Site
  beforeAll(async () => {
    site = await new Site().listen()
  })
  afterAll(() => site.close())

  it.each([
    ['GET', '/crowd'],
    ['POST', '/crowd'],
    ['DELETE', '/crowd/0000'],
    ['POST', '/crowd/0000/tickets'],
  ])('is turned away from %s %s before anything else', async (method, path) => {
    const { status, headers, body } = await site.ask(method, path, { headers: { Via: '1.1 gate' } })
    expect([status, headers['content-type']]).toEqual([403, 'application/problem+json'])
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      detail:
        'The stand serves this machine only, and this request is refused: its via field tells of a proxy.',
    })
  })
})
