import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const page = fileURLToPath(new URL('../../../../docs/plan.md', import.meta.url))
const program = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))

/** Puts what each command on the page prints behind it. */
export function fillPage(): void {
  const text = readFileSync(page, 'utf8')
  writeFileSync(
    page,
    text.replace(
      /(<!-- run -->\n```sh\n(.*)\n```\n\n```text\n)[^`]*/g,
      (_, before: string, command: string) => {
        const line = command.replace(
          /^npx sluice /,
          `'${process.execPath}' --conditions=sluice-source --import tsx '${program}' `,
        )
        return `${before}${execFileSync('sh', ['-c', line], { encoding: 'utf8' })}`
      },
    ),
  )
}
