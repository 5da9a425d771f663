import type * as Lua from './lua.generated.ts'

/** The texts of lua/, by kind and name. */
export type LuaTexts = typeof Lua

let texts: LuaTexts | undefined

/** They come with a connection, as a process without Redis needs none. */
export async function loadLua(): Promise<void> {
  texts ??= await import('./lua.generated.ts')
}

export function luaTexts(): LuaTexts {
  if (texts === undefined) throw new Error('the scripts are there once a connection is loaded')
  return texts
}
