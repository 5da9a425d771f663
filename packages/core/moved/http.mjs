// No such module: Node says so before it looks for the names that are imported.
import "node:'@sluice/core/http' is '@sluice/http' now: npm install @sluice/http"
