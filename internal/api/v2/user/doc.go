// Package user holds the operations of /api/v2 for who is signed in. Each reads and changes what belongs to the caller
// alone: the identity that the router gives it is the only source of a user's number. API tokens of programs may call
// those below /user but the account's and the tokens' own. One file holds one resource.
package user
