import { GET as answer } from '../../.tmp/route.mjs'

export const runtime = 'edge'
export const GET = answer
