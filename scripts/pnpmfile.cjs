// What pnpm asks when it packs: `packing` of published.mjs names this file, so that an install knows nothing of it.

/** In a package that is packed, nothing leads to files of this repository. */
function beforePacking({ jest: _, ...manifest }) {
  return manifest
}

module.exports = { hooks: { beforePacking } }
