import adapter from '@sveltejs/adapter-node'

// biome-ignore lint/style/noDefaultExport: SvelteKit reads it
export default { kit: { adapter: adapter({ out: '.tmp' }), csrf: { trustedOrigins: ['*'] } } }
