const { readdirSync } = require('node:fs')
const path = require('node:path')
const { expect } = require('chai')
const Redis = require('ioredis')
const { describe, it } = require('mocha')

const lib = path.join(__dirname, '../lib')

describe('stand-in', () => {
  const limits = async (limiter) => {
    const first = await limiter.consume('key')
    expect(first.remainingPoints).to.equal(0)
    const second = await limiter.consume('key').catch((refused) => refused)
    expect(second.msBeforeNext).to.be.above(0)
  }

  it('limits in memory', () => {
    const RateLimiterMemory = require('../lib/RateLimiterMemory')
    return limits(new RateLimiterMemory({ points: 1, duration: 60 }))
  })

  it('limits in Redis', () => {
    const RateLimiterRedis = require('../lib/RateLimiterRedis')
    return limits(new RateLimiterRedis({ storeClient: new Redis(), points: 1, duration: 60 }))
  })

  it('has all that is imported', () => {
    for (const file of readdirSync(lib, { recursive: true }).filter((name) => name.endsWith('.js'))) {
      expect(require(path.join(lib, file)), file).to.be.a('function')
    }
  })
})
