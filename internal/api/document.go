package api

// DocumentPolicy is the Content-Security-Policy of a text that staff wrote and that an operation answers as it is:
// where a browser opens it as a page, it runs and loads nothing.
const DocumentPolicy = "default-src 'none'; sandbox"
