import { answer } from '../../.tmp/zoo.mjs'

export const dynamic = 'force-dynamic'
export const GET = answer
export const HEAD = answer
