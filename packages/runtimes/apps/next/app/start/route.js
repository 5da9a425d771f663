import { GET as answer } from '../../.tmp/route.mjs'

export const dynamic = 'force-dynamic'
export const GET = answer
