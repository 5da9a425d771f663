import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Makes a copy of the checkout, in which tests run: whatever ends a run, the checkout itself stays as it was. */
export function copyCheckout(root: string): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'sluice-faults-'))
  // PostgreSQL runs as another user, which must be able to pass through the folder.
  chmodSync(copy, 0o755)
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  for (const file of new Set(listed.split('\0'))) {
    const source = path.join(root, file)
    if (file !== '' && existsSync(source)) cpSync(source, path.join(copy, file))
  }
  const workspaces = ['packages', 'examples'].flatMap((parent) =>
    readdirSync(path.join(root, parent)).map((name) => `${parent}/${name}`),
  )
  for (const folder of ['.', ...workspaces]) {
    const installed = path.join(root, folder, 'node_modules')
    if (existsSync(installed)) copyInstalled(installed, path.join(copy, folder, 'node_modules'))
  }
  return copy
}

/** Copies the links of installed packages: those to workspaces lead into the copy, all others through `.pnpm` to what is installed. */
function copyInstalled(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.name.startsWith('@')) copyInstalled(source, target)
    else if (entry.name === '.pnpm' || entry.name === '.bin') symlinkSync(source, target)
  }
}
