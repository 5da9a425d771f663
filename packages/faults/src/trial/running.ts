import path from 'node:path'

/** How programs are run from their sources, and where. */
export const execArgv: readonly string[] = ['--conditions=sluice-source', '--import', 'tsx']

export const root: string = path.join(import.meta.dirname, '../../../..')
