import { answer } from '../../.tmp/zoo.mjs'

export const runtime = 'edge'
export const GET = answer
export const HEAD = answer
