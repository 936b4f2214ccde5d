// Package public holds the operations of /api/v2 that anybody may call: the site, sign-in in its kinds, sign-up,
// captchas and forgotten passwords. None of them says whether an address has an account. One file holds one resource.
package public
