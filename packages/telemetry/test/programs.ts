import { execFileSync } from 'node:child_process'
import path from 'node:path'

const programs = path.resolve(__dirname, '../../../scripts/programs.mjs')

/** The path of a program of Debian's package prometheus, which is installed where it is missing. */
export function program(name: 'promtool' | 'prometheus'): string {
  const script = `import(${JSON.stringify(programs)}).then((all) => console.log(all.${name}()))`
  return execFileSync(process.execPath, ['--eval', script], { encoding: 'utf8' }).trim()
}
