import { Socket } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import { whyNotLocal } from '../src/own-origin.ts'

function from(remoteAddress: string | undefined, headers = {}) {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
  return whyNotLocal({ socket, headers: { host: 'localhost:3000', ...headers } })
}

describe('a request of this machine', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('comes from %s', (address) => {
    expect(from(address)).toBeUndefined()
  })

  it.each(['192.0.2.1', '10.127.0.1', '::ffff:192.0.2.1', '2001:db8::1', 'fe80::1', '::', '', undefined])(
    'does not come from %s',
    (address) => {
      expect(from(address)).toBe('its connection comes from elsewhere')
    },
  )

  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '127.1.2.3', '[::1]', '[::1]:65535'])(
    'asks by the name of %s',
    (host) => {
      expect(from('::1', { host })).toBeUndefined()
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
  ])('does not ask by the name of %s, which may lead here by a trick', (host) => {
    expect(from('127.0.0.1', { host })).toBe('its Host field names no loopback address')
  })

  it.each([
    'forwarded',
    'via',
    'x-real-ip',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-anything',
  ])('does not come through a proxy, which writes %s', (field) => {
    expect(from('127.0.0.1', { [field]: '' })).toBe(`its ${field} field names a proxy`)
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
    if (served) expect(asked).toBeUndefined()
    else expect(asked).toBe('it comes from a page of another origin')
  })
})
