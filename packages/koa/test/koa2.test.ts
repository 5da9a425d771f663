import { describeAdapter } from '@sluice/conformance/adapter'
import type Koa3 from 'koa'
import Koa from 'koa2'
import { startOn } from './start.ts'

describeAdapter('Koa 2', startOn(Koa as unknown as typeof Koa3))
