import { proxy as limit } from './.tmp/proxy.mjs'

// Next.js runs what is called so on Edge.
export const middleware = limit
export const config = { matcher: '/' }
