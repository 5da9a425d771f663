import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'
import { listsFile, loadLimits } from '../src/index.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-encoding-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileOf(name: string, bytes: Buffer): string {
  const file = path.join(folder, name)
  writeFileSync(file, bytes)
  return file
}

// A name of other bytes would be one that no request has, and its limit would apply to nobody.
describe.each([
  ['latin1', ''],
  ['utf16le', '\ufeff'],
] as const)('a file in %s is refused', (encoding, mark) => {
  const said = expect.stringContaining('expected a file that can be read, got text that is not UTF-8')

  it('with limits', async () => {
    const file = fileOf(
      `limits-${encoding}.yaml`,
      Buffer.from(`${mark}schema: { café: { limits: deny } }\n`, encoding),
    )
    await expect(loadLimits({ file, watch: false })).rejects.toMatchObject({
      code: 'SLUICE_LIMITS',
      message: said,
    })
  })

  it('with lists', () => {
    const file = fileOf(
      `lists-${encoding}.yaml`,
      Buffer.from(`${mark}lists: [{ list: deny, key: café, until: 2100-01-01T00:00Z }]\n`, encoding),
    )
    expect(() => listsFile(file, { watch: false })).toThrow(
      expect.objectContaining({ code: 'SLUICE_LIMITS', message: said }),
    )
  })
})
