import { type Script, scriptOf } from '@sluice/core/internal'
import * as lua from './lua.generated.ts'

/** What a list queue asks of its server, hashed once. */
export const offer: Script = scriptOf(lua.listOfferLua)
export const pop: Script = scriptOf(lua.listPopLua)
export const giveBack: Script = scriptOf(lua.listReturnLua)
export const status: Script = scriptOf(lua.listStatusLua)
export const health: Script = scriptOf(lua.listHealthLua)
