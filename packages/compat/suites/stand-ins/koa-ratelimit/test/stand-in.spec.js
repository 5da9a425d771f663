const Koa = require('koa')
const Redis = require('ioredis')
const request = require('supertest')

const ratelimit = require('..')

describe('stand-in', () => {
  const limits = async (driver, db) => {
    const app = new Koa()
    app.use(ratelimit({ driver, db, duration: 60_000, max: 1 }))
    app.use(async (ctx) => {
      ctx.body = 'hi'
    })
    const { status } = await request(app.listen()).get('/').expect(200)
    status.should.equal(200)
    await request(app.listen()).get('/').expect(429)
  }

  it('limits in memory', () => limits('memory', new Map()))
  it('limits in Redis', () => limits('redis', new Redis()))
})
