// Whether every entry of a packed package leads every way of loading it to a file and to the types of that file.
import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'

/** A sentence for each entry that leads somewhere else; `allowed` are kinds of problems that are meant so. */
export async function wrongEntries(tarball, { allowed, moved }) {
  const { problems } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)), {
    excludeEntrypoints: [...moved],
  })
  return problems
    .filter(({ kind }) => !allowed.includes(kind))
    .map(({ kind, ...where }) => `${kind}: ${JSON.stringify(where)}`)
}
