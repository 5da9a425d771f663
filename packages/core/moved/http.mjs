import "node:'@sluice/core/http' is '@sluice/http' now: npm install @sluice/http"
