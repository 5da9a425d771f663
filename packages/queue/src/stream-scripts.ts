import { inRedis } from '@sluice/core/internal'
import * as lua from './lua.generated.ts'

/** The scripts of a stream queue, hashed once. */
export const offer: inRedis.Script = inRedis.scriptOf(lua.offerLua)
export const take: inRedis.Script = inRedis.scriptOf(lua.takeLua)
export const renew: inRedis.Script = inRedis.scriptOf(lua.renewLua)
export const start: inRedis.Script = inRedis.scriptOf(lua.startLua)
export const finish: inRedis.Script = inRedis.scriptOf(lua.finishLua)
export const leave: inRedis.Script = inRedis.scriptOf(lua.leaveLua)
export const tidy: inRedis.Script = inRedis.scriptOf(lua.tidyLua)
export const status: inRedis.Script = inRedis.scriptOf(lua.statusLua)
export const health: inRedis.Script = inRedis.scriptOf(lua.healthLua)
