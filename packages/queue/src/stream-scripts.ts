import { type Script, scriptOf } from '@sluice/core/internal'
import * as lua from './lua.generated.ts'

/** What a stream queue asks of its server, hashed once. */
export const offer: Script = scriptOf(lua.offerLua)
export const take: Script = scriptOf(lua.takeLua)
export const renew: Script = scriptOf(lua.renewLua)
export const start: Script = scriptOf(lua.startLua)
export const finish: Script = scriptOf(lua.finishLua)
export const leave: Script = scriptOf(lua.leaveLua)
export const tidy: Script = scriptOf(lua.tidyLua)
export const status: Script = scriptOf(lua.statusLua)
export const health: Script = scriptOf(lua.healthLua)
