throw new Error(
  "@sluice/core/http is a package of its own now: npm install @sluice/http, and write '@sluice/http' in place of '@sluice/core/http'",
)
