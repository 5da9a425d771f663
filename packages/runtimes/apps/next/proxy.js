import { proxy as limit } from './.tmp/proxy.mjs'

export const proxy = limit
export const config = { matcher: '/' }
