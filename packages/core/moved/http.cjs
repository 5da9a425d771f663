throw new Error("'@sluice/core/http' is '@sluice/http' now: npm install @sluice/http")
