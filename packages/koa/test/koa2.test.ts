import { describeAdapter } from '@sluice/conformance/adapter'
import type Koa3 from 'koa'
import Koa from 'koa2'
import { startOn } from './start.ts'

describeAdapter('Koa 2', startOn(Koa as unknown as typeof Koa3), [
  { scenario: 'a request for the head alone', reason: 'Koa 2 itself never answers one on HTTP/2' },
])
