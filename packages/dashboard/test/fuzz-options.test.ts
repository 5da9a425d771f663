import { expect } from '@jest/globals'
import { aFunction, describeOptions, never, truth } from '@sluice/conformance/options'
import { memorySink, recorder } from '@sluice/telemetry'
import { type Dashboard, type DashboardOptions, dashboard } from '../src/index.ts'
import { ask } from './ask.ts'
import { listen } from './site.ts'

const seen = recorder(memorySink())

const hostName = (value: unknown) => typeof value === 'string' && /^[\w.-]+$/.test(value)

describeOptions<Dashboard>({
  name: 'dashboard',
  right: {
    recorder: seen,
    limiters: [],
    mayManage: () => true,
    maskKeys: false,
    maskSecret: 'sixteen letters!',
    hosts: ['zoo.example'],
  },
  places: {
    recorder: never,
    limiters: (value) => aFunction(value) || (Array.isArray(value) && value.length === 0),
    'limiters[0]': never,
    mayManage: aFunction,
    maskKeys: (value) => aFunction(value) || truth(value),
    maskSecret: (value) => typeof value === 'string' && value.length >= 16,
    hosts: (value) => Array.isArray(value) && value.every(hostName),
    'hosts[0]': hostName,
  },
  make: (options) => dashboard(options as DashboardOptions),
  async judge(page) {
    const site = await listen(page)
    expect((await ask(site.origin, '/stream')).body).toMatch(/^retry: 1000\n\ndata: \{"event":"hello"/)
    await page.close()
    await site.close()
  },
})
