module.exports = require('./callable.js').callable(require('./express-rate-limit/index.js'))
