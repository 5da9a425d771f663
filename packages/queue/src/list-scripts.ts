import { inRedis } from '@sluice/core/internal'
import * as lua from './lua.generated.ts'

/** The scripts of a list queue, hashed once. */
export const offer: inRedis.Script = inRedis.scriptOf(lua.listOfferLua)
export const pop: inRedis.Script = inRedis.scriptOf(lua.listPopLua)
export const giveBack: inRedis.Script = inRedis.scriptOf(lua.listReturnLua)
export const status: inRedis.Script = inRedis.scriptOf(lua.listStatusLua)
export const health: inRedis.Script = inRedis.scriptOf(lua.listHealthLua)
