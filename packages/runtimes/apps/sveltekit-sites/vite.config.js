import { sveltekit } from '@sveltejs/kit/vite'
import { defaultServerConditions } from 'vite'

// The packages of this repository from their sources, as nothing is built here.
const resolve = { conditions: ['sluice-source', ...defaultServerConditions] }

// biome-ignore lint/style/noDefaultExport: Vite reads it
export default { plugins: [sveltekit()], ssr: { noExternal: [/^@sluice\//], resolve } }
