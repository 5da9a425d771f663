import path from 'node:path'

/** Where programs are run. */
export const root: string = path.join(import.meta.dirname, '../../../..')
