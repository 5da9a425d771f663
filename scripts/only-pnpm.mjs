// Runs before every install: npm would fill the root's node_modules only and leave the packages without.
if (!process.env.npm_config_user_agent?.startsWith('pnpm/')) {
  console.error('This repository is installed by pnpm: run `npm test` or `npm start`, which bring it along.')
  process.exit(1)
}
