import { describe, expect, it, jest } from '@jest/globals'
import createApp from 'express'
import { agent } from 'supertest'
import { ConsoleLogger } from '../../source/console-logger.js'
import { setDraft8Headers, setLegacyHeaders } from '../../source/headers.js'
import rateLimit, { MemoryStore } from '../../source/index.js'
import { MemoryStore as Store } from '../../source/memory-store.js'
import { getValidations } from '../../source/validations.js'

describe('stand-in', () => {
  it('limits', async () => {
    const app = createApp()
    app.use(rateLimit({ limit: 1 }))
    app.get('/', (_request, response) => void response.send('hi'))
    await agent(app).get('/').expect(200)
    await agent(app).get('/').expect(429)
  })

  it('has what is inside', () => {
    const response = { headersSent: false, setHeader: jest.fn(), append: jest.fn() }
    const info = { limit: 5, used: 1, remaining: 4, resetTime: undefined, key: 'a' }
    setLegacyHeaders(response as never, info as never)
    expect(response.setHeader).toHaveBeenCalledWith('X-RateLimit-Limit', '5')
    setDraft8Headers(response, info, 1000, 'name', 'key')
    const logger = { error: jest.fn(), warn: jest.fn() }
    getValidations(true, logger).ip(undefined)
    expect(logger.error).toHaveBeenCalledTimes(1)
    expect(typeof ConsoleLogger.error).toBe('function')
    expect(Store).toBe(MemoryStore)
  })
})
