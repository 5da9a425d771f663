import { UsageError } from './exit-code.ts'

/** Loads an optional peer dependency. Rejects with a UsageError that says what to install for that flag. */
export async function loadInstalled<Module>(
  flag: string,
  packages: readonly string[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new UsageError(`${flag} needs packages that are not installed: npm install ${packages.join(' ')}`)
  }
}
