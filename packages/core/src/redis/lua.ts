import type * as Lua from './lua.generated.ts'

/** The texts of lua/, by kind and name. */
export type LuaTexts = typeof Lua

/** As they are published, once for both forms of the package. */
const published = '../../cjs/shared/lua.generated.js'

let texts: LuaTexts | undefined

/** They come with a connection, as a process without Redis needs none. */
export async function loadLua(): Promise<void> {
  texts ??= required() ?? (await import('./lua.generated.ts'))
}

/**
 * undefined in a bundle, and where there is no `require`. Node is busy with an `import` of a file of CommonJS for as long as a hundred
 * checks take.
 */
function required(): LuaTexts | undefined {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> }
  try {
    return process?.getBuiltinModule?.('node:module').createRequire(import.meta.filename)(published)
  } catch {
    return undefined
  }
}

export function luaTexts(): LuaTexts {
  if (texts === undefined) throw new Error('the scripts are there once a connection is loaded')
  return texts
}
