import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { readFlags } from '../src/flags.ts'
import { killPrograms, runZoo } from './program.ts'

const byDefault = {
  help: false,
  framework: 'express',
  port: 3000,
  host: '127.0.0.1',
  hosts: undefined,
  redis: [],
  limits: undefined,
  supperMs: 1000,
  crowd: true,
}

describe('flags', () => {
  // biome-ignore format: a table
  test.each([
    // args                                            variables                                           what differs
    [[],                                               {},                                                 {}],
    [['--framework', 'koa', '--port=0'],               {},                                                 { framework: 'koa', port: 0 }],
    [['--host', '::1', '--redis', 'rediss://a:b@c:1/2'], {},                                               { host: '::1', redis: ['rediss://a:b@c:1/2'] }],
    [['--hosts', 'zoo.example,127.0.0.1'],             {},                                                 { hosts: ['zoo.example', '127.0.0.1'] }],
    [['-h'],                                           {},                                                 { help: true }],
    [['--supper', '60'],                               {},                                                 { supperMs: 60_000 }],
    [['--no-crowd'],                                   {},                                                 { crowd: false }],
    [[],                                               { FRAMEWORK: 'fastify', PORT: '80', REDIS_URL: 'redis://r' }, { framework: 'fastify', port: 80, redis: ['redis://r'] }],
    [['--framework', 'koa', '--port', '1', '--redis', 'redis://s'], { FRAMEWORK: 'fastify', PORT: '80', REDIS_URL: 'redis://r' }, { framework: 'koa', port: 1, redis: ['redis://s'] }],
    [[],                                               { FRAMEWORK: '', PORT: '', REDIS_URL: '', LIMITS: '' }, {}],
    [['--redis', 'redis://a:1', '--redis', 'redis://b'], { REDIS_URL: 'redis://r' },                       { redis: ['redis://a:1', 'redis://b'] }],
    [[],                                               { REDIS_URL: 'redis://a:1,redis://b:2, redis://c' }, { redis: ['redis://a:1', 'redis://b:2', 'redis://c'] }],
    [[],                                               { REDIS_URL: 'redis://:a,b@c' },                    { redis: ['redis://:a,b@c'] }],
    [['--limits', '/etc/zoo.yaml'],                    { LIMITS: 'other.yaml', INIT_CWD: '/srv' },         { limits: '/etc/zoo.yaml' }],
    [['--limits', 'zoo.yaml'],                         { INIT_CWD: '/srv' },                               { limits: '/srv/zoo.yaml' }],
    [[],                                               { LIMITS: '../zoo.yaml', INIT_CWD: '/srv/http' },   { limits: '/srv/zoo.yaml' }],
    [['--lists', 'lists.yaml'],                        { INIT_CWD: '/srv' },                               { lists: '/srv/lists.yaml' }],
    [['--limits', 'zoo.yaml'],                         {},                                                 { limits: path.resolve('zoo.yaml') }],
  ])('%j with %j', (args, variables, differs) => {
    expect(readFlags(args, variables)).toEqual({ ...byDefault, ...differs })
  })

  // biome-ignore format: a table
  test.each([
    // args                          variables              what is said
    [['--framework', 'hapi'],        {},                    '--framework: expected one of express, fastify, koa, got "hapi".'],
    [['--framework', '__proto__'],   {},                    '--framework: expected one of express, fastify, koa, got "__proto__".'],
    [[],                             { FRAMEWORK: 'hapi' }, 'FRAMEWORK: expected one of express, fastify, koa, got "hapi".'],
    [['--port', '65536'],            {},                    '--port: expected a port from 0 to 65535, got "65536".'],
    [['--port=-1'],                  {},                    '--port: expected a port from 0 to 65535, got "-1".'],
    [['--port='],                    {},                    '--port: expected a port from 0 to 65535, got "".'],
    [[],                             { PORT: '3e3' },       'PORT: expected a port from 0 to 65535, got "3e3".'],
    [['--supper', '0'],              {},                    '--supper: expected seconds from 1 to 9999, got "0".'],
    [['--hosts', 'http://zoo'],      {},                    '--hosts: expected names such as zoo.example, with commas between, got "http://zoo".'],
    [['--redis', 'localhost:6379'],  {},                    '--redis: expected a URL such as redis://localhost:6379.'],
    [['--redis', 'redis://'],        {},                    '--redis: expected a URL such as redis://localhost:6379.'],
    [[],                             { REDIS_URL: 'http://:secret@r' }, 'REDIS_URL: expected a URL such as redis://localhost:6379.'],
    [['--redis', 'redis://a:1', '--redis', 'b:2'], {},      '--redis: expected a URL such as redis://localhost:6379.'],
    [['--redis', 'redis://a:1', '--redis', 'redis://:secret@b:2'], {}, '--redis: expected redis://host:port, without a path, for each server of a cluster.'],
    [[],                             { REDIS_URL: 'redis://a:1,rediss://b:2' }, 'REDIS_URL: expected redis://host:port, without a path, for each server of a cluster.'],
    [[],                             { REDIS_URL: 'redis://a:1,redis://b:2/3' }, 'REDIS_URL: expected redis://host:port, without a path, for each server of a cluster.'],
    [['--limits='],                  {},                    '--limits: expected a file such as examples/zoo/limits.yaml, got "".'],
    [['--frame', 'koa'],             {},                    "Unknown option '--frame': npm start -- --help lists the flags."],
    [['--port'],                     {},                    "Option '--port <value>' argument missing: npm start -- --help lists the flags."],
    [['--help=1'],                   {},                    "Option '-h, --help' does not take an argument: npm start -- --help lists the flags."],
    [['fastify'],                    {},                    "Unexpected argument 'fastify': flags stand behind a --, as in npm start -- --framework fastify."],
  ])('%j with %j are refused', (args, variables, said) => {
    expect(() => readFlags(args, variables)).toThrow(expect.objectContaining({ exitCode: 2, message: said }))
  })
})

describe('the zoo', () => {
  afterEach(killPrograms)

  test('lists its flags', async () => {
    const zoo = await runZoo(['--help'])
    expect(await zoo.ended()).toBe(0)
    expect(zoo.stdout).toMatch(/^Usage: npm start -- \[flags\]\n/)
    expect(zoo.stderr).toBe('')
  })

  test('ends with 2 and one sentence where a flag is wrong', async () => {
    const zoo = await runZoo([], { PORT: 'x' })
    expect(await zoo.ended()).toBe(2)
    expect(zoo.stdout).toBe('')
    expect(zoo.stderr).toBe('PORT: expected a port from 0 to 65535, got "x".\n')
  })

  test('ends with 1 and one sentence where its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const zoo = await runZoo(['--port', port, '--redis', 'redis://127.0.0.1:1'])
    expect(await zoo.ended()).toBe(1)
    expect(zoo.stdout).toBe('')
    expect(zoo.stderr).toBe(`Port ${port} is in use: npm start -- --port 0 takes a free one.\n`)
    taken.close()
  })

  test('ends with 1 and one sentence where it cannot listen', async () => {
    const zoo = await runZoo(['--port', '0', '--host', '192.0.2.1'])
    expect(await zoo.ended()).toBe(1)
    expect(zoo.stdout).toBe('')
    expect(zoo.stderr).toBe('Cannot listen on 192.0.2.1, port 0 (EADDRNOTAVAIL).\n')
  })
})
