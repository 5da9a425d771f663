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
    throw new UsageError(`${flag} needs what is not installed: ${installing(packages)}`)
  }
}

/** Loads ioredis, of which a client is made wherever the command line names a Redis: without it, Redis would be reported as away. */
export async function loadIoredis(flag: string): Promise<void> {
  await loadInstalled(flag, ['ioredis'], () => import('ioredis'))
}

function installing(packages: readonly string[]): string {
  const withNpx = packages.map((name) => `--package ${name}`).join(' ')
  return `npm install ${packages.join(' ')}, or with npx: ${withNpx}`
}
