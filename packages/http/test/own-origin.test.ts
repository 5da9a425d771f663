import { describe, expect, test } from '@jest/globals'
import { hostNameOf, isLoopbackAddress, isLoopbackName, isOwnOrigin } from '../src/own-origin.ts'

// biome-ignore format: a table
test.each([
  // host                        name                loopback
  ['localhost',                  'localhost',        true],
  ['LocalHost:3000',             'localhost',        true],
  ['127.0.0.1:80',               '127.0.0.1',        true],
  ['127.1.2.3',                  '127.1.2.3',        true],
  ['[::1]:65535',                '[::1]',            true],
  ['Zoo.Example:3000',           'zoo.example',      false],
  ['localhost.zoo.example',      'localhost.zoo.example', false],
  ['127.0.0.1.zoo.example',      '127.0.0.1.zoo.example', false],
  ['[2001:DB8::1]:80',           '[2001:db8::1]',    false],
  ['192.0.2.1',                  '192.0.2.1',        false],
  ['localhost:3000.zoo.example', undefined,          false],
  ['localhost:',                 undefined,          false],
  ['::1',                        undefined,          false],
  ['',                           undefined,          false],
  [undefined,                    undefined,          false],
])('the Host field %p asks by the name %p, on loopback: %p', (host, name, loopback) => {
  expect(hostNameOf({ headers: { host } })).toBe(name)
  expect(isLoopbackName(name)).toBe(loopback)
})

test('where there is no Host field the authority of HTTP/2 names the server', () => {
  expect(hostNameOf({ headers: { ':authority': 'zoo.example:443' } })).toBe('zoo.example')
})

// biome-ignore format: a table
test.each([
  ['127.0.0.1', true], ['127.8.9.10', true], ['::1', true], ['::ffff:127.0.0.1', true],
  ['192.0.2.1', false], ['10.127.0.1', false], ['::ffff:192.0.2.1', false], ['::', false], ['', false], [undefined, false],
])('a connection of %p is on loopback: %p', (address, is) => {
  expect(isLoopbackAddress(address)).toBe(is)
})

describe('a request is of the own origin', () => {
  const host = 'zoo.example'
  // biome-ignore format: a table
  test.each([
    // method  headers                                                                        own
    ['POST',   { host },                                                                      true],
    ['POST',   { host, 'sec-fetch-site': 'same-origin' },                                     true],
    // A proxy may hand on another name than the page's.
    ['POST',   { host: 'inside:3000', origin: 'https://zoo.example', 'sec-fetch-site': 'same-origin' }, true],
    ['POST',   { host, 'sec-fetch-site': 'cross-site' },                                      false],
    ['POST',   { host, 'sec-fetch-site': 'same-site' },                                       false],
    ['GET',    { host, 'sec-fetch-site': 'cross-site' },                                      false],
    ['GET',    { host, 'sec-fetch-site': 'none' },                                            true],
    ['HEAD',   { host, 'sec-fetch-site': 'none' },                                            true],
    ['POST',   { host, 'sec-fetch-site': 'none' },                                            false],
    [undefined, { host, 'sec-fetch-site': 'none' },                                           false],
    ['POST',   { host, origin: 'https://zoo.example' },                                       true],
    ['POST',   { host: 'Zoo.Example:3000', origin: 'http://zoo.example:3000' },               true],
    ['POST',   { host, origin: 'https://zoo.example:3000' },                                  false],
    ['POST',   { host, origin: 'https://evil.example' },                                      false],
    ['POST',   { host, origin: 'https://evil.example@zoo.example' },                          false],
    ['POST',   { host, origin: 'file://zoo.example' },                                        false],
    ['POST',   { host, origin: 'null' },                                                      false],
    ['POST',   { host, origin: '' },                                                          false],
    ['POST',   { origin: 'null' },                                                            false],
    ['POST',   { origin: 'https://zoo.example' },                                             false],
    ['POST',   { origin: 'https://zoo.example', ':authority': host },                         true],
    ['POST',   { origin: 'https://evil.example', ':authority': host },                        false],
    ['POST',   { origin: 'https://zoo.example', ':authority': host, 'sec-fetch-site': 'cross-site' }, false],
  ])('or of none: %s %j: %p', (method, headers, own) => {
    expect(isOwnOrigin({ method, headers })).toBe(own)
  })
})
