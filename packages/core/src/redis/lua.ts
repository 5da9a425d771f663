import type * as Lua from './lua.generated.ts'

/** The texts of lua/, by kind and name. */
export type LuaTexts = typeof Lua

/** The file in which they are published, once for both forms of the package. */
const published = '../../cjs/shared/lua.generated.js'

let texts: LuaTexts | undefined

/** Loads the texts. They come with a connection, as a process without Redis needs none. */
export async function loadLua(): Promise<void> {
  texts ??= required() ?? (await imported())
}

/** A bundler that splits its output may give a file of CommonJS no names, only its exports as `default`. */
async function imported(): Promise<LuaTexts> {
  const module = await import('./lua.generated.ts')
  return 'main' in module ? module : (module as { default: LuaTexts }).default
}

/**
 * undefined in a bundle, and where there is no `require`. Tried first, as Node is busy with an `import` of a CommonJS file for as long
 * as a hundred checks take.
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
