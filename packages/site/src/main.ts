// Builds the site into packages/site/dist, or the folder of --out: `npm run site -- --help` lists the flags.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { buildSite } from './build-site.ts'
import { repositoryOf } from './repository.ts'
import { tagsOf, versionsOf } from './versions.ts'

const own = path.resolve(import.meta.dirname, '..')
const root = path.resolve(own, '../..')

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(own, 'dist') },
    repository: { type: 'string' },
    'without-types': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run site -- [--out FOLDER] [--repository URL] [--without-types]

  --out            the folder to write to, packages/site/dist unless given; what it holds is removed
  --repository     where people read the sources, for links to edit a page; left out, that of packages/core/package.json
  --without-types  leaves out the reference made from the types, which takes most of the time`)
} else {
  const began = performance.now()
  const out = path.resolve(values.out)
  const manifest = JSON.parse(readFileSync(path.join(root, 'packages/core/package.json'), 'utf8'))
  const { readPages } = await import(path.join(root, 'scripts/build-pages.mjs'))
  const pages = await buildSite({
    root,
    own,
    out,
    repository: values.repository ?? repositoryOf(manifest),
    versions: versionsOf(manifest.version, tagsOf(root)),
    dashboard: readPages(),
    types: !values['without-types'],
  })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${pages} pages in ${seconds} s: open ${path.join(out, 'index.html')}`)
}
