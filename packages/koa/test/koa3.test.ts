import { describeAdapter } from '@sluice/conformance/adapter'
import Koa from 'koa'
import { startOn } from './start.ts'

describeAdapter('Koa 3', startOn(Koa))
